// The drawing Worker inside its own runtime: the same bytes as anywhere else.

import { env } from "cloudflare:test";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import worker from "../../functions/drawing/draw.ts";
import { artistWith } from "../drawing/drawn.ts";
import { GOLDENS, IMAGES } from "../drawing/goldens.ts";

const { draw } = artistWith(env.FONTS);

test.each(Object.entries(GOLDENS))("%s comes out as it does in Node", async (_name, golden) => {
  const { bytes } = await draw(golden.slide, golden.settings, IMAGES);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(golden.sha256);
});

test("405 it takes slides by POST alone", async () => {
  const answer = await worker.fetch(new Request("http://drawing/") as Parameters<typeof worker.fetch>[0], env);
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
});
