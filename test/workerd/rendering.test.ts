// The rendering Worker in the Workers runtime.

import { env } from "cloudflare:test";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import worker from "../../functions/rendering/worker.ts";
import { GOLDENS, IMAGES } from "../rendering/goldens.ts";
import { createTestRenderer } from "../rendering/test-renderer.ts";

const { render } = createTestRenderer(env.FONTS);

test.each(Object.entries(GOLDENS))("%s renders to the same bytes as in Node", async (_name, golden) => {
  const { bytes } = await render(golden.slide, golden.settings, IMAGES);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(golden.sha256);
});

test("405 for methods other than POST", async () => {
  const answer = await worker.fetch(new Request("http://rendering/") as Parameters<typeof worker.fetch>[0], env);
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
});
