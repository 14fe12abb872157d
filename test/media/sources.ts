// Sources for the media tests: bytes in memory, and computed objects of several gigabytes.
import { readFileSync } from "node:fs";
import path from "node:path";
import { type MediaSource, type Verdict, verifyMedia } from "../../lib/media/verify-media.ts";

export type CountedSource = MediaSource & { reads: () => number };

const MIB = 1024 * 1024;

export function readFixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(path.join(import.meta.dirname, "fixtures", name)));
}

export function createCountedSource(bytes: Uint8Array): CountedSource {
  return createVirtualSource(bytes.length, (offset, length) => bytes.slice(offset, offset + length));
}

/** `at` computes the bytes of any range, so that a test can have a file of 5 GiB. */
function createVirtualSource(size: number, at: (offset: number, length: number) => Uint8Array): CountedSource {
  let reads = 0;
  return {
    size,
    reads: () => reads,
    read: async (offset, length) => {
      reads += 1;
      return at(offset, Math.min(length, size - offset));
    },
    stream: async () => {
      let sent = 0;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          const length = Math.min(MIB, size - sent);
          if (length <= 0) return controller.close();
          controller.enqueue(at(sent, length));
          sent += length;
        },
      });
    },
  };
}

/** An object that repeats `pattern`. */
export function createRepeatingSource(size: number, pattern: Uint8Array): CountedSource {
  return createVirtualSource(size, (offset, length) => {
    const bytes = new Uint8Array(length);
    const shift = offset % pattern.length;
    for (let i = 0; i < length; i++) bytes[i] = pattern[(shift + i) % pattern.length] ?? 0;
    return bytes;
  });
}

/** An object that begins with `head`, followed by zeros. */
export function createSparseSource(size: number, head: Uint8Array): CountedSource {
  return createVirtualSource(size, (offset, length) => {
    const bytes = new Uint8Array(length);
    if (offset < head.length) bytes.set(head.subarray(offset, offset + length));
    return bytes;
  });
}

export function verifyFile(bytes: Uint8Array, declared: string): Promise<Verdict> {
  return verifyMedia(createCountedSource(bytes), declared);
}

export async function findFailedCheck(bytes: Uint8Array, declared: string): Promise<string> {
  const verdict = await verifyFile(bytes, declared);
  return verdict.ok ? "accepted" : verdict.check;
}

export function concatBytes(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A box of an MP4 file. */
export function buildBox(name: string, content: Uint8Array): Uint8Array {
  const head = new Uint8Array(8);
  new DataView(head.buffer).setUint32(0, 8 + content.length);
  head.set(new TextEncoder().encode(name), 4);
  return concatBytes(head, content);
}

export function findText(bytes: Uint8Array, text: string): number {
  const at = Buffer.from(bytes).indexOf(text, 0, "latin1");
  if (at < 0) throw new Error(`${text} is not in the fixture`);
  return at;
}

/** A copy with one 32-bit field replaced, `offset` bytes after the first name of a box. */
export function patchField(bytes: Uint8Array, name: string, offset: number, value: number): Uint8Array {
  return changeField(bytes, name, 0, offset, () => value);
}

/** A copy with one 32-bit field changed, `offset` bytes after the n-th name of a box. */
export function changeField(
  bytes: Uint8Array,
  name: string,
  nth: number,
  offset: number,
  to: (value: number) => number,
): Uint8Array {
  const copy = bytes.slice();
  let at = findText(copy, name);
  for (let found = 0; found < nth; found++) at += 1 + findText(copy.subarray(at + 1), name);
  const view = new DataView(copy.buffer);
  view.setUint32(at + 4 + offset, to(view.getUint32(at + 4 + offset)));
  return copy;
}
