// Muxes encoded audio packets into a file format that speech-to-text services accept.
import { concatBytes } from "./binary-writer.ts";
import type { AudioConfig, AudioFile, AudioPacket } from "./encoded-audio.ts";
import { writeFlac } from "./flac.ts";
import { writeM4a } from "./m4a.ts";
import { writeOgg } from "./ogg.ts";
import { writeWav } from "./wav.ts";

type WriteFile = (config: AudioConfig, packets: readonly AudioPacket[]) => Uint8Array<ArrayBuffer>;

const M4A = { write: writeM4a, contentType: "audio/mp4", filename: "sound.m4a" };
const OGG = { write: writeOgg, contentType: "audio/ogg", filename: "sound.ogg" };
const WAV = { write: writeWav, contentType: "audio/wav", filename: "sound.wav" };
const FLAC = { write: writeFlac, contentType: "audio/flac", filename: "sound.flac" };
// Every MP3 frame has its own header, so the concatenated frames are a valid file.
const MP3 = {
  write: (_: AudioConfig, packets: readonly AudioPacket[]) => concatBytes(packets.map(({ data }) => data)),
  contentType: "audio/mpeg",
};

const FORMATS: Record<string, { write: WriteFile; contentType: string; filename: string }> = {
  aac: M4A,
  opus: OGG,
  vorbis: OGG,
  mp3: { ...MP3, filename: "sound.mp3" },
  flac: FLAC,
  ulaw: WAV,
  alaw: WAV,
};

function findFormat(codec: string) {
  return FORMATS[codec] ?? (codec.startsWith("pcm-") ? WAV : null);
}

/** Whether audio of this codec can be transcribed. */
export function canMux(codec: string): boolean {
  return findFormat(codec) !== null;
}

/** Writes the packets to a file that begins at time zero. They must be contiguous. */
export function muxPackets(config: AudioConfig, packets: readonly AudioPacket[]): AudioFile {
  const file = findFormat(config.codec);
  if (!file) throw new Error(`audio codec ${config.codec} has no file format`);
  return { bytes: file.write(config, packets), contentType: file.contentType, filename: file.filename };
}
