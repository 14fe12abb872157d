// NAL units of H.264 and HEVC with their emulation prevention bytes (escapes), and runs of zeros in frames of any codec.
import { verificationError } from "../verification-error.ts";

/** Calls `visit` for each NAL unit; the lengths must add up to the sample exactly. */
export function forEachNal(sample: Uint8Array, lengthSize: number, visit: (nal: Uint8Array) => void): void {
  let position = 0;
  while (position < sample.length) {
    if (position + lengthSize > sample.length) throw damagedFrameError();
    let length = 0;
    for (let i = 0; i < lengthSize; i++) length = length * 256 + (sample[position + i] ?? 0);
    position += lengthSize;
    if (length === 0 || position + length > sample.length) throw damagedFrameError();
    visit(sample.subarray(position, position + length));
    position += length;
  }
}

export function damagedFrameError(): Error {
  return verificationError(
    "video_data",
    "The video is damaged: a frame in it does not have the structure of its codec.",
  );
}

export function invalidConfigError(): Error {
  return verificationError("decoder_config", "The video is damaged: its decoder configuration cannot be read.");
}

/** A NAL unit contains no 00 00 00 to 00 00 02, and 00 00 03 only before 00 to 03; so a zeroed block is detected. */
export function checkEscapes(nal: Uint8Array): void {
  let end = nal.length;
  while (end > 0 && nal[end - 1] === 0) end -= 1;
  // `at`: the third of three bytes. If it is not zero, no forbidden sequence ends at the next two.
  for (let at = 2; at < end; ) {
    const third = nal[at] ?? 0;
    const suspect = third <= 3 && nal[at - 1] === 0 && nal[at - 2] === 0;
    if (suspect && (third < 3 || (nal[at + 1] ?? 0) > 3)) throw damagedFrameError();
    at += third === 0 ? 1 : 3;
  }
}

/** The payload without escape bytes; `limit` is how many bytes of the NAL unit are read. */
export function removeEscapes(nal: Uint8Array, limit: number): Uint8Array {
  const source = nal.subarray(0, limit);
  const plain = new Uint8Array(source.length);
  let length = 0;
  let zeros = 0;
  for (const byte of source) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    plain[length++] = byte;
  }
  return plain.subarray(0, length);
}

/**
 * For frames without escapes. In blank areas encoders write at most one zero byte per block of 16 x 16 pixels; half as
 * many again are allowed, and 256 in any case. A longer run is lost data.
 */
export function getMaxZeroRun(width: number, height: number): number {
  return Math.max(256, 1.5 * Math.ceil(width / 16) * Math.ceil(height / 16));
}

/** Throws for a run of more than `maxRun` zeros, unless it is padding at the end. */
export function checkZeroRuns(data: Uint8Array, maxRun: number): void {
  let end = data.length;
  while (end > 0 && data[end - 1] === 0) end -= 1;
  // A longer run cannot lie between two of these positions.
  for (let at = 0; at < end; at += Math.floor(maxRun)) {
    if (data[at] !== 0) continue;
    let first = at;
    let last = at;
    while (first > 0 && data[first - 1] === 0) first -= 1;
    while (last + 1 < end && data[last + 1] === 0) last += 1;
    if (last - first + 1 > maxRun) throw damagedFrameError();
  }
}
