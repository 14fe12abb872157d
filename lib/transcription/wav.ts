// Writes WAV: a header and uncompressed samples, converted to little-endian.
import { concatBytes, encodeText, le16, le32 } from "./binary-writer.ts";
import type { AudioConfig, AudioPacket } from "./encoded-audio.ts";

const [INTEGER, FLOAT, ALAW, ULAW] = [1, 3, 6, 7];

export function writeWav(
  { codec, sampleRate, channels }: AudioConfig,
  packets: readonly AudioPacket[],
): Uint8Array<ArrayBuffer> {
  const { format, bytes } = getSampleFormat(codec);
  const samples = concatBytes(packets.map(({ data }) => data));
  if (codec.endsWith("be")) swapByteOrder(samples, bytes);
  // 8-bit WAV samples are unsigned.
  if (codec === "pcm-s8") for (let at = 0; at < samples.length; at++) samples[at] = (samples[at] ?? 0) ^ 0x80;
  const block = bytes * channels;
  const described = [le16(format), le16(channels), le32(sampleRate), le32(sampleRate * block), le16(block)];
  return concatBytes([
    encodeText("RIFF"),
    le32(36 + samples.length),
    encodeText("WAVEfmt "),
    le32(16),
    ...described,
    le16(bytes * 8),
    encodeText("data"),
    le32(samples.length),
    samples,
  ]);
}

/** The WAV format tag and sample size of a codec, such as pcm-s24be. */
export function getSampleFormat(codec: string): { format: number; bytes: number } {
  if (codec === "ulaw") return { format: ULAW, bytes: 1 };
  if (codec === "alaw") return { format: ALAW, bytes: 1 };
  const [, kind, bits] = /^pcm-([usf])(\d+)/.exec(codec) ?? [];
  return { format: kind === "f" ? FLOAT : INTEGER, bytes: Number(bits ?? 16) / 8 };
}

function swapByteOrder(samples: Uint8Array, width: number): void {
  for (let at = 0; at + width <= samples.length; at += width) samples.subarray(at, at + width).reverse();
}
