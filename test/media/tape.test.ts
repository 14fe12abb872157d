import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openTape } from "../../lib/media/tape.ts";

const MIB = 1024 * 1024;
const bytes = new Uint8Array(11 * MIB + 17).map((_, i) => (i * 31 + (i >> 8)) & 255);
const hex = createHash("sha256").update(bytes).digest("hex");

function byteStream(chunk: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const piece = bytes.slice(sent, sent + chunk);
      sent += piece.length;
      if (piece.length > 0) return controller.enqueue(piece);
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

function plainStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 100_000) controller.enqueue(bytes.slice(at, at + 100_000));
      controller.close();
    },
  });
}

const STREAMS = {
  "bytes in small chunks": () => byteStream(4096),
  "bytes in chunks larger than the tape holds": () => byteStream(6 * MIB),
  "a plain stream": plainStream,
  "the body of a response": () => new Response(bytes.slice()).body ?? plainStream(),
};

function tapeOf(stream: () => ReadableStream<Uint8Array>) {
  const reads: [number, number][] = [];
  const source = {
    size: bytes.length,
    read: async (offset: number, length: number) => {
      reads.push([offset, length]);
      return bytes.slice(offset, offset + length);
    },
    stream: async () => stream(),
  };
  return { tape: openTape(source, null), reads };
}

describe.for(Object.entries(STREAMS))("%s", ([, stream]) => {
  test("is hashed whole when nobody looks", async () => {
    expect(await tapeOf(stream).tape.finish()).toBe(hex);
  });

  test("hands out what is asked for in order, skips the rest, and hashes everything", async () => {
    const { tape, reads } = tapeOf(stream);
    const pieces: [number, number][] = [
      [0, 10],
      [10, MIB],
      [2 * MIB, 5 * MIB],
      [7 * MIB + 3, 1],
      [bytes.length - 5, 5],
    ];
    for (const [offset, length] of pieces) {
      expect(Buffer.compare(await tape.take(offset, length), bytes.subarray(offset, offset + length))).toBe(0);
    }
    expect(await tape.finish()).toBe(hex);
    expect(reads).toEqual([]);
  });

  test("reads again what has passed", async () => {
    const { tape, reads } = tapeOf(stream);
    await tape.take(bytes.length - 1, 1);
    expect([...(await tape.take(5, 20))]).toEqual([...bytes.subarray(5, 25)]);
    expect(reads).toHaveLength(1);
    expect(await tape.finish()).toBe(hex);
  });
});

test("bytes that are in memory are neither streamed nor read", async () => {
  const away = async () => Promise.reject(new Error("not to be asked"));
  const tape = openTape({ size: bytes.length, read: away, stream: away }, bytes);
  expect([...(await tape.take(7, 3))]).toEqual([...bytes.subarray(7, 10)]);
  expect(await tape.finish()).toBe(hex);
});

test("what lies outside of the object is refused", async () => {
  const { tape } = tapeOf(plainStream);
  await expect(tape.take(bytes.length - 2, 3)).rejects.toThrow("truncated");
});

test("a stream that is shorter or longer than the object is an error of the storage", async () => {
  for (const difference of [-1, 1]) {
    const read = async () => new Uint8Array();
    const tape = openTape({ size: bytes.length + difference, read, stream: async () => plainStream() }, null);
    await expect(tape.finish()).rejects.toThrow("Storage streamed");
  }
});

test("an empty object has the hash of nothing", async () => {
  const { tape } = {
    tape: openTape({ size: 0, read: async () => new Uint8Array(), stream: async () => plainStream() }, null),
  };
  expect(await tape.finish()).toBe(createHash("sha256").digest("hex"));
});
