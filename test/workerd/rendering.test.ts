// The rendering Worker in the Workers runtime.

import { env } from "cloudflare:test";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import worker from "../../functions/rendering/worker.ts";
import { splitSegments } from "../../lib/rendering/line-breaks.ts";
import { GOLDENS, IMAGES } from "../rendering/goldens.ts";
import { createTestRenderer } from "../rendering/test-renderer.ts";

const { render } = createTestRenderer(env.FONTS);

test.each(Object.entries(GOLDENS))("%s renders to the same bytes as in Node", async (_name, golden) => {
  const { bytes } = await render(golden.slide, golden.settings, IMAGES);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(golden.sha256);
});

test("the runtime knows the words of Chinese, Japanese and Thai", () => {
  const split = (text: string) => splitSegments(text, false).map((one) => one.text + (one.insideWord ? "" : "|"));
  expect(split("改變人生的習慣").join("")).toBe("改變|人生的|習慣|");
  expect(split("朝の習慣を").join("")).toBe("朝の|習慣を|");
  expect(split("วันนี้อากาศดีมาก").join("")).toBe("วัน|นี้|อากาศ|ดี|มาก|");
});

test("405 for methods other than POST", async () => {
  const answer = await worker.fetch(new Request("http://rendering/") as Parameters<typeof worker.fetch>[0], env);
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
});
