// The composer counts with the function of the check, in the browser's bundle too.

import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { measureShownCaption } from "../../lib/platforms/shown-caption.ts";
import type { Platform } from "../../lib/shared/platforms.ts";

const CASES: [Platform, string, number][] = [
  ["threads", "🇩🇪".repeat(20), 160],
  ["threads", "1️⃣".repeat(20), 140],
  ["threads", "👩‍🚀", 11],
  ["threads", "cafés ’’’", 9],
  ["twitter", "1️⃣".repeat(20), 40],
  ["twitter", "see example.com and x.co", 55],
  ["twitter", "“Quoted” – ‘text’ like this", 27],
  ["twitter", "https://example.com/a.", 24],
  ["twitter", "日本語", 6],
  ["bluesky", "👨‍👩‍👧‍👦 e\u0301", 3],
  ["bluesky", `${"x".repeat(259)} https://example.com/${"a".repeat(100)}`, 287],
  ["youtube", "é好", 5],
  ["tiktok", "😀", 2],
  ["linkedin", "a\nb", 3],
];

const rule = (platform: Platform) => getCapabilities(platform, "byo").caption;

test.each(CASES)("%s counts %j as %d", (platform, caption, length) => {
  expect(measureShownCaption(caption, rule(platform)).length).toBe(length);
});

test("the function runs in a bundle for browsers, with the same results", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "../../lib/platforms/shown-caption.ts")],
    ...{ bundle: true, write: false, minify: true, format: "esm", target: "es2022", platform: "browser" },
  });
  const code = outputFiles[0]?.text ?? "";
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    measureShownCaption: typeof measureShownCaption;
  };
  for (const [platform, caption, length] of CASES) {
    expect(module.measureShownCaption(caption, rule(platform)).length).toBe(length);
  }
});
