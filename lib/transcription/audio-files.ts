// The file format for the packets of each audio codec. The API reads it too, so it imports no muxer.

/** A file format that speech-to-text services accept. */
export interface AudioFileFormat {
  extension: "m4a" | "ogg" | "mp3" | "flac" | "wav";
  contentType: string;
}

const M4A: AudioFileFormat = { extension: "m4a", contentType: "audio/mp4" };
const OGG: AudioFileFormat = { extension: "ogg", contentType: "audio/ogg" };
const WAV: AudioFileFormat = { extension: "wav", contentType: "audio/wav" };

const FORMATS: Record<string, AudioFileFormat> = {
  aac: M4A,
  opus: OGG,
  vorbis: OGG,
  mp3: { extension: "mp3", contentType: "audio/mpeg" },
  flac: { extension: "flac", contentType: "audio/flac" },
  ulaw: WAV,
  alaw: WAV,
};

/** Null when audio of this codec cannot be transcribed. */
export function findAudioFileFormat(codec: string): AudioFileFormat | null {
  return FORMATS[codec] ?? (codec.startsWith("pcm-") ? WAV : null);
}
