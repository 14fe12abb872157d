// What H.264 and HEVC share: length-prefixed NAL units and the escaping inside them.
import { refuse } from "./refusal.ts";

/** Calls back for each NAL unit; the lengths must add up to the sample exactly. */
export function eachNal(sample: Uint8Array, lengthSize: number, visit: (nal: Uint8Array) => void): void {
  let position = 0;
  while (position < sample.length) {
    if (position + lengthSize > sample.length) throw damagedFrame();
    let length = 0;
    for (let i = 0; i < lengthSize; i++) length = length * 256 + (sample[position + i] ?? 0);
    position += lengthSize;
    if (length === 0 || position + length > sample.length) throw damagedFrame();
    visit(sample.subarray(position, position + length));
    position += length;
  }
}

export function damagedFrame(): Error {
  return refuse("video_data", "The video is damaged: a frame in it does not have the structure of its codec.");
}

/** Inside a NAL unit 00 00 may only be followed by an escape, so a blanked block shows at once. */
export function checkEscapes(nal: Uint8Array): void {
  let end = nal.length;
  while (end > 0 && nal[end - 1] === 0) end -= 1;
  // `at` is the third byte of the forbidden sequence; a byte that is not zero rules out the next two places.
  for (let at = 2; at < end; ) {
    const third = nal[at] ?? 0;
    const suspect = third <= 3 && nal[at - 1] === 0 && nal[at - 2] === 0;
    if (suspect && (third < 3 || (nal[at + 1] ?? 0) > 3)) throw damagedFrame();
    at += third === 0 ? 1 : 3;
  }
}

/** The payload without its escapes; `limit` bounds the work where only the start is needed. */
export function withoutEscapes(nal: Uint8Array, limit: number): Uint8Array {
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
 * Zeros that data of a picture this large can hold in a row, as far as encoders were seen to write them: where nothing
 * is to be seen, each block of 16 x 16 costs a byte at most. More is a block that was lost.
 */
export function zerosAtMost(width: number, height: number): number {
  return Math.max(256, 1.5 * Math.ceil(width / 16) * Math.ceil(height / 16));
}

/** Refuses a longer run of zeros, unless it is padding at the end. */
export function checkBlanks(data: Uint8Array, zeros: number): void {
  let end = data.length;
  while (end > 0 && data[end - 1] === 0) end -= 1;
  // A run this long covers one of the places looked at.
  for (let at = 0; at < end; at += Math.floor(zeros)) {
    if (data[at] !== 0) continue;
    let first = at;
    let last = at;
    while (first > 0 && data[first - 1] === 0) first -= 1;
    while (last + 1 < end && data[last + 1] === 0) last += 1;
    if (last - first + 1 > zeros) throw damagedFrame();
  }
}
