import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openSequentialReader } from "../../lib/media/sequential-reader.ts";

const MIB = 1024 * 1024;
const bytes = new Uint8Array(11 * MIB + 17).map((_, i) => (i * 31 + (i >> 8)) & 255);
const hex = createHash("sha256").update(bytes).digest("hex");

function createByteStream(chunkBytes: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const chunk = bytes.slice(sent, sent + chunkBytes);
      sent += chunk.length;
      if (chunk.length > 0) return controller.enqueue(chunk);
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

function createPlainStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 100_000) controller.enqueue(bytes.slice(at, at + 100_000));
      controller.close();
    },
  });
}

const STREAMS = {
  "bytes in small chunks": () => createByteStream(4096),
  "bytes in chunks larger than the buffer": () => createByteStream(6 * MIB),
  "a plain stream": createPlainStream,
  "the body of a response": () => new Response(bytes.slice()).body ?? createPlainStream(),
};

function openTestReader(stream: () => ReadableStream<Uint8Array>) {
  const reads: [number, number][] = [];
  const source = {
    size: bytes.length,
    read: async (offset: number, length: number) => {
      reads.push([offset, length]);
      return bytes.slice(offset, offset + length);
    },
    stream: async () => stream(),
  };
  return { reader: openSequentialReader(source, null), reads };
}

describe.for(Object.entries(STREAMS))("%s", ([, stream]) => {
  test("is hashed whole when nothing is read", async () => {
    expect(await openTestReader(stream).reader.finish()).toBe(hex);
  });

  test("returns the requested ranges in order, skips the rest and hashes everything", async () => {
    const { reader, reads } = openTestReader(stream);
    const pieces: [number, number][] = [
      [0, 10],
      [10, MIB],
      [2 * MIB, 5 * MIB],
      [7 * MIB + 3, 1],
      [bytes.length - 5, 5],
    ];
    for (const [offset, length] of pieces) {
      expect(Buffer.compare(await reader.read(offset, length), bytes.subarray(offset, offset + length))).toBe(0);
    }
    expect(await reader.finish()).toBe(hex);
    expect(reads).toEqual([]);
  });

  test("reads earlier bytes again", async () => {
    const { reader, reads } = openTestReader(stream);
    await reader.read(bytes.length - 1, 1);
    expect([...(await reader.read(5, 20))]).toEqual([...bytes.subarray(5, 25)]);
    expect(reads).toHaveLength(1);
    expect(await reader.finish()).toBe(hex);
  });
});

test("bytes in memory are neither streamed nor read", async () => {
  const away = async () => Promise.reject(new Error("must not be read"));
  const reader = openSequentialReader({ size: bytes.length, read: away, stream: away }, bytes);
  expect([...(await reader.read(7, 3))]).toEqual([...bytes.subarray(7, 10)]);
  expect(await reader.finish()).toBe(hex);
});

test("throws for a range outside of the object", async () => {
  const { reader } = openTestReader(createPlainStream);
  await expect(reader.read(bytes.length - 2, 3)).rejects.toThrow("truncated");
});

test("throws for a stream that is shorter or longer than the object", async () => {
  for (const difference of [-1, 1]) {
    const read = async () => new Uint8Array();
    const reader = openSequentialReader(
      { size: bytes.length + difference, read, stream: async () => createPlainStream() },
      null,
    );
    await expect(reader.finish()).rejects.toThrow("Storage streamed");
  }
});

test("an empty object has the hash of no bytes", async () => {
  const { reader } = {
    reader: openSequentialReader(
      { size: 0, read: async () => new Uint8Array(), stream: async () => createPlainStream() },
      null,
    ),
  };
  expect(await reader.finish()).toBe(createHash("sha256").digest("hex"));
});
