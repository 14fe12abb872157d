// Verification of files in the Workers runtime: streams, WebAssembly and decompression.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { verifyMedia } from "../../lib/media/verify-media.ts";
import demo from "../local/demo.mp4?inline";
import png from "../media/fixtures/interlaced.png?inline";
import lossless from "../media/fixtures/lossless.webp?inline";
import lossy from "../media/fixtures/lossy.webp?inline";
import jpeg from "../media/fixtures/progressive.jpg?inline";
import gif from "../media/fixtures/two.gif?inline";
import webm from "../media/fixtures/vp9.webm?inline";

const FILES = [
  ["image/jpeg", jpeg, { image: { width: 202, height: 156 } }],
  ["image/png", png, { image: { width: 60, height: 40 } }],
  ["image/webp", lossy, { image: { width: 62, height: 48 } }],
  ["image/webp", lossless, { image: { width: 39, height: 30 } }],
  ["image/gif", gif, { image: { width: 60, height: 40, frames: 2 } }],
  ["video/webm", webm, { video: { width: 160, height: 120, hasAudioStream: true } }],
  ["video/mp4", demo, { video: { width: 720, height: 1280, durationMs: 6000, hasAudioStream: true } }],
] as const;

async function decodeDataUrl(dataUrl: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await fetch(dataUrl)).arrayBuffer());
}

function toSource(bytes: Uint8Array<ArrayBuffer>) {
  return {
    size: bytes.length,
    read: async (offset: number, length: number) => bytes.slice(offset, offset + length),
    stream: async () => new Response(bytes).body ?? new ReadableStream<Uint8Array>(),
  };
}

test.for(FILES)("accepts %s", async ([contentType, dataUrl, facts]) => {
  const bytes = await decodeDataUrl(dataUrl);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(await verifyMedia(toSource(bytes), contentType)).toMatchObject({ ok: true, media: { sha256, ...facts } });
});

test.for(FILES)("rejects %s when half of it is missing", async ([contentType, dataUrl]) => {
  const bytes = await decodeDataUrl(dataUrl);
  const half = bytes.slice(0, bytes.length / 2);
  expect(await verifyMedia(toSource(half), contentType)).toMatchObject({ ok: false });
});

test("accepts a video that is larger than one read", async () => {
  const clip = await decodeDataUrl(demo);
  const filling = new Uint8Array(9 * 1024 * 1024);
  new DataView(filling.buffer).setUint32(0, filling.length);
  filling.set(new TextEncoder().encode("free"), 4);
  const bytes = new Uint8Array(clip.length + filling.length);
  bytes.set(clip);
  bytes.set(filling, clip.length);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const verdict = await verifyMedia(toSource(bytes), "video/mp4");
  expect(verdict).toMatchObject({ ok: true, media: { sha256, bytes: bytes.length, video: { durationMs: 6000 } } });
});
