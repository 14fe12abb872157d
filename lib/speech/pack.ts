// How the packets of encoded sound are put into a file that a recogniser takes.
import { concat } from "./bytes.ts";
import { flacFile } from "./flac.ts";
import { m4aFile } from "./m4a.ts";
import { oggFile } from "./ogg.ts";
import type { Coding, Packet, SoundFile } from "./packets.ts";
import { wavFile } from "./wav.ts";

type Write = (coding: Coding, packets: readonly Packet[]) => Uint8Array<ArrayBuffer>;

const M4A = { write: m4aFile, contentType: "audio/mp4", filename: "sound.m4a" };
const OGG = { write: oggFile, contentType: "audio/ogg", filename: "sound.ogg" };
const WAV = { write: wavFile, contentType: "audio/wav", filename: "sound.wav" };
const FLAC = { write: flacFile, contentType: "audio/flac", filename: "sound.flac" };
// Every frame has a header of its own, so the frames alone are the file.
const MP3 = {
  write: (_: Coding, packets: readonly Packet[]) => concat(packets.map(({ data }) => data)),
  contentType: "audio/mpeg",
};

const FILES: Record<string, { write: Write; contentType: string; filename: string }> = {
  aac: M4A,
  opus: OGG,
  vorbis: OGG,
  mp3: { ...MP3, filename: "sound.mp3" },
  flac: FLAC,
  ulaw: WAV,
  alaw: WAV,
};

function fileOf(codec: string) {
  return FILES[codec] ?? (codec.startsWith("pcm-") ? WAV : null);
}

/** Whether a recogniser takes sound of this codec. */
export function canPack(codec: string): boolean {
  return fileOf(codec) !== null;
}

/** The packets as a file of their own that begins at zero. They must follow one another without a gap. */
export function pack(coding: Coding, packets: readonly Packet[]): SoundFile {
  const file = fileOf(coding.codec);
  if (!file) throw new Error(`sound of codec ${coding.codec} has no file to go into`);
  return { bytes: file.write(coding, packets), contentType: file.contentType, filename: file.filename };
}
