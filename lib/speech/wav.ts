// WAV: uncompressed samples behind a header; those that lie the other way round are turned.
import { concat, le16, le32, text } from "./bytes.ts";
import type { Coding, Packet } from "./packets.ts";

const [INTEGER, FLOAT, ALAW, ULAW] = [1, 3, 6, 7];

export function wavFile({ codec, sampleRate, channels }: Coding, packets: readonly Packet[]): Uint8Array<ArrayBuffer> {
  const { format, bytes } = sampleOf(codec);
  const samples = concat(packets.map(({ data }) => data));
  if (codec.endsWith("be")) turn(samples, bytes);
  // WAV has no signed bytes.
  if (codec === "pcm-s8") for (let at = 0; at < samples.length; at++) samples[at] = (samples[at] ?? 0) ^ 0x80;
  const block = bytes * channels;
  const described = [le16(format), le16(channels), le32(sampleRate), le32(sampleRate * block), le16(block)];
  return concat([
    text("RIFF"),
    le32(36 + samples.length),
    text("WAVEfmt "),
    le32(16),
    ...described,
    le16(bytes * 8),
    text("data"),
    le32(samples.length),
    samples,
  ]);
}

/** How a sample is written; each codec is named after it, such as pcm-s24be. */
export function sampleOf(codec: string): { format: number; bytes: number } {
  if (codec === "ulaw") return { format: ULAW, bytes: 1 };
  if (codec === "alaw") return { format: ALAW, bytes: 1 };
  const [, kind, bits] = /^pcm-([usf])(\d+)/.exec(codec) ?? [];
  return { format: kind === "f" ? FLOAT : INTEGER, bytes: Number(bits ?? 16) / 8 };
}

function turn(samples: Uint8Array, width: number): void {
  for (let at = 0; at + width <= samples.length; at += width) samples.subarray(at, at + width).reverse();
}
