import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "../../lib/media/sha256.ts";

const bytes = new Uint8Array(3 * 1024 * 1024 + 17).map((_, i) => (i * 31) & 255);
const hex = createHash("sha256").update(bytes).digest("hex");

test("a byte stream in small chunks is hashed whole", async () => {
  let sent = 0;
  const stream = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const chunk = bytes.slice(sent, sent + 4096);
      sent += chunk.length;
      if (chunk.length > 0) controller.enqueue(chunk);
      else {
        controller.close();
        controller.byobRequest?.respond(0);
      }
    },
  });
  expect(await sha256(stream)).toEqual({ hex, bytes: bytes.length });
});

test("a plain stream is hashed whole", async () => {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 100_000) controller.enqueue(bytes.slice(at, at + 100_000));
      controller.close();
    },
  });
  expect(await sha256(stream)).toEqual({ hex, bytes: bytes.length });
});

test("the body of a response is hashed whole", async () => {
  const { body } = new Response(bytes.slice());
  expect(body && (await sha256(body))).toEqual({ hex, bytes: bytes.length });
});

test("an empty stream has the hash of nothing", async () => {
  const stream = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  expect(await sha256(stream)).toEqual({ hex: createHash("sha256").digest("hex"), bytes: 0 });
});
