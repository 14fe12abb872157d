// Uncompressed samples: their size, and their conversion to what WAV files hold.
import type { AudioCodec } from "mediabunny";

export function isUncompressed(codec: AudioCodec): boolean {
  return codec.startsWith("pcm-") || codec === "ulaw" || codec === "alaw";
}

/** Bytes of one sample of a codec, such as 3 for pcm-s24be. */
export function getSampleBytes(codec: AudioCodec): number {
  return Number(/^pcm-[usf](\d+)/.exec(codec)?.[1] ?? 8) / 8;
}

/** WAV is little-endian, and its 8-bit samples are unsigned. */
export function toWavSamples(codec: AudioCodec, samples: Uint8Array): { codec: AudioCodec; samples: Uint8Array } {
  if (codec === "pcm-s8") return { codec: "pcm-u8", samples: samples.map((value) => value ^ 0x80) };
  if (!codec.endsWith("be")) return { codec, samples };
  const swapped = samples.slice();
  const width = getSampleBytes(codec);
  for (let at = 0; at + width <= swapped.length; at += width) swapped.subarray(at, at + width).reverse();
  return { codec: codec.slice(0, -2) as AudioCodec, samples: swapped };
}
