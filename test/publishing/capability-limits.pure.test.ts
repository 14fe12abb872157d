// The limits of each network and account type: the last post that is valid and the first that is not.
import { describe, expect, test } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import type { CaptionUnit, Range } from "../../lib/platforms/rules.ts";
import { CONTENT_KINDS } from "../../lib/schemas/content-kinds.ts";
import { PLATFORMS, type Platform } from "../../lib/shared/platforms.ts";
import { type AccountType, buildValidMedia, expectedProblems, findProblemsFor, type TestPost } from "./post-factory.ts";

interface Edge {
  rule: string;
  passes: TestPost[];
  fails: TestPost;
  /** All problems of the invalid post. */
  found: object[];
}

/** A character whose length differs between units, to detect a wrong unit. */
const SIGNS: Record<CaptionUnit, { sign: string; units: number }> = {
  utf16: { sign: "😀", units: 2 },
  graphemes: { sign: "e\u0301", units: 1 },
  utf8_bytes: { sign: "é", units: 2 },
  emoji_as_bytes: { sign: "👍", units: 4 },
  weighted: { sign: "好", units: 2 },
};

function buildText(unit: CaptionUnit, length: number): string {
  const { sign, units } = SIGNS[unit];
  return sign.repeat(Math.floor(length / units)) + "a".repeat(length % units);
}

function listCaptionEdges(platform: Platform, type: AccountType): Edge[] {
  const { limit, unit, maxBytes } = getCapabilities(platform, type).caption;
  const text = buildText(unit, limit);
  const over = { path: "caption", code: "caption_too_long" };
  const edges: Edge[] = [
    {
      rule: `caption of ${limit} ${unit}`,
      passes: [{ caption: text }],
      fails: { caption: `${text}a` },
      found: [{ ...over, limit, actual: limit + 1, unit }],
    },
  ];
  if (maxBytes === undefined) return edges;
  // A family emoji is one grapheme of 25 bytes, so the byte limit is reached first.
  const heavy = "👨‍👩‍👧‍👦".repeat(Math.floor(maxBytes / 25)) + "a".repeat(maxBytes % 25);
  const actual = maxBytes + 1;
  edges.push({
    rule: `caption of ${maxBytes} bytes`,
    passes: [{ caption: heavy }],
    fails: { caption: `${heavy}a` },
    found: [{ ...over, limit: maxBytes, actual, unit: "utf8_bytes" }],
  });
  return edges;
}

function listKindEdges(platform: Platform, type: AccountType): Edge[] {
  const { kinds, unsupported } = getCapabilities(platform, type);
  const draft = (kind: (typeof CONTENT_KINDS)[number]) => ({ media: buildValidMedia(kind, platform, type) });
  return CONTENT_KINDS.filter((kind) => !kinds.includes(kind)).map((kind) => ({
    rule: `no ${kind}`,
    passes: kinds.map(draft),
    fails: draft(kind),
    found: [{ path: "media", code: "content_kind_unsupported", actual: kind, message: unsupported[kind] }],
  }));
}

function listImageEdges(platform: Platform, type: AccountType): Edge[] {
  const { kinds, images } = getCapabilities(platform, type);
  if (!kinds.includes("single_image")) return [];
  const [plain = ""] = images.types;
  const one = (facts: object) => ({ media: { images: [{ mimeType: plain, ...facts }] } });
  const many = (count: number) => ({
    media: { images: Array.from({ length: count }, () => ({ mimeType: plain })) },
  });
  const path = "media.urls.0";
  const shape = (limit: number, width: number, step: number): Edge => ({
    rule: `image ratio ${limit}`,
    passes: [one({ width, height: 10_000 }), one({ width: width + step, height: null })],
    fails: one({ width: width + step, height: 10_000 }),
    found: [{ path, code: "image_shape_unsupported", limit, actual: (width + step) / 10_000 }],
  });
  const side = ({ short, long }: { short: number; long: number }, wider: number, longer: number): Edge => ({
    rule: `image of ${short} x ${long}, ${wider ? "shorter" : "longer"} side`,
    passes: [one({ width: short, height: long }), one({ width: long, height: short })],
    fails: one({ width: long + longer, height: short + wider }),
    found: [{ path, code: "image_too_large", limit: wider ? short : long, actual: wider ? short + 1 : long + 1 }],
  });
  const large = (limit: number): Edge => ({
    rule: `image of ${limit} pixels`,
    passes: [one({ width: limit, height: 1 }), one({ width: 1, height: limit })],
    fails: one({ width: limit + 1, height: 1 }),
    found: [{ path, code: "image_too_large", limit, actual: limit + 1 }],
  });
  const { max, maxBytes, minRatio, maxRatio, maxSides, maxPixels, types } = images;
  return [
    {
      rule: `${max} images`,
      passes: [many(max)],
      fails: many(max + 1),
      found: [{ path: "media", code: "too_many_images", limit: max, actual: max + 1 }],
    },
    {
      rule: `image of ${maxBytes} bytes`,
      passes: [one({ bytes: maxBytes }), one({ bytes: null })],
      fails: one({ bytes: maxBytes + 1 }),
      found: [{ path, code: "media_too_large", limit: maxBytes, actual: maxBytes + 1 }],
    },
    {
      rule: "image types",
      passes: types.map((mimeType) => one({ mimeType })),
      fails: one({ mimeType: "image/tiff" }),
      found: [{ path, code: "media_type_unsupported", actual: "image/tiff" }],
    },
    ...(minRatio === undefined ? [] : [shape(minRatio, Math.round(minRatio * 10_000), -1)]),
    ...(maxRatio === undefined ? [] : [shape(maxRatio, Math.round(maxRatio * 10_000), 1)]),
    ...(maxSides === undefined ? [] : [side(maxSides, 1, 0), side(maxSides, 0, 1)]),
    ...(maxPixels === undefined ? [] : [large(maxPixels)]),
  ];
}

function listVideoEdges(platform: Platform, type: AccountType): Edge[] {
  const { kinds, videos } = getCapabilities(platform, type);
  if (!kinds.includes("single_video")) return [];
  const { types, maxBytes, minSeconds, maxSeconds, sides, ratios, fps } = videos;
  const [plain = ""] = types;
  const one = (facts: object) => ({ media: { video: { mimeType: plain, ...facts } } });
  const lasting = (limit: number, code: string, step: number): Edge => ({
    rule: `${code} at ${limit} s`,
    passes: [one({ durationMs: limit * 1000 })],
    fails: one({ durationMs: limit * 1000 + step }),
    found: [{ path: "media", code, limit, actual: (limit * 1000 + step) / 1000 }],
  });
  const sized = ({ min, max }: Range, actual: number): Edge => ({
    rule: `video sides of ${min} to ${max}, not ${actual}`,
    passes: [one({ width: min, height: max }), one({ width: max, height: min }), one({ width: actual, height: null })],
    fails: one({ width: min, height: actual }),
    found: [{ path: "media.url", code: "video_size_unsupported", limit: actual < min ? min : max, actual }],
  });
  const shaped = ({ min, max }: Range, width: number, height: number): Edge => ({
    rule: `video ratio ${width} to ${height}`,
    passes: [
      [1_000, 3_000],
      [3_000, 1_000],
      [width, null],
    ].map(([width, height]) => one({ width, height })),
    fails: one({ width, height }),
    found: [
      { path: "media.url", code: "video_size_unsupported", limit: width < height ? min : max, actual: width / height },
    ],
  });
  const beating = ({ min, max }: Range, actual: number): Edge => ({
    rule: `${min} to ${max} frames per second, not ${actual}`,
    // Encoders are off by a little, and the average of a screen recording is low: a warning.
    passes: [8.76, min - 1.01, min - 0.02, min, max, max + 0.02, max + 1, null].map((fps) => one({ fps })),
    fails: one({ fps: actual }),
    found: [{ path: "media.url", code: "frame_rate_unsupported", limit: max, actual }],
  });
  return [
    {
      rule: `video of ${maxBytes} bytes`,
      passes: [one({ bytes: maxBytes }), one({ bytes: null })],
      fails: one({ bytes: maxBytes + 1 }),
      found: [{ path: "media.url", code: "media_too_large", limit: maxBytes, actual: maxBytes + 1 }],
    },
    {
      rule: "video types",
      passes: types.map((mimeType) => one({ mimeType })),
      fails: one({ mimeType: "video/ogg" }),
      found: [{ path: "media.url", code: "media_type_unsupported", actual: "video/ogg" }],
    },
    ...(minSeconds ? [lasting(minSeconds, "video_too_short", -1)] : []),
    ...(maxSeconds === undefined ? [] : [lasting(maxSeconds, "video_too_long", 1)]),
    ...(sides ? [sized(sides, sides.min - 1), sized(sides, sides.max + 1)] : []),
    ...(ratios ? [shaped(ratios, 999, 3_000), shaped(ratios, 3_001, 1_000)] : []),
    ...(fps ? [beating(fps, fps.max + 1.001)] : []),
  ];
}

const limitEdges = PLATFORMS.flatMap((platform) =>
  (["byo", "hosted"] as const).flatMap((type) =>
    [listCaptionEdges, listKindEdges, listImageEdges, listVideoEdges].flatMap((edgesOf) =>
      edgesOf(platform, type).map((edge) => ({ platform, type, ...edge })),
    ),
  ),
);

describe("limits of the capabilities", () => {
  test.each(limitEdges)("$platform $type: $rule", ({ platform, type, passes, fails, found }) => {
    for (const draft of passes) expect(findProblemsFor(platform, type, draft)).toEqual([]);
    expect(findProblemsFor(platform, type, fails)).toEqual(expectedProblems(found));
  });

  test("every network has cases of both account types, of captions and of every supported media kind", () => {
    const named = new Set(limitEdges.map(({ platform, type }) => `${platform} ${type}`));
    expect(named.size).toBe(PLATFORMS.length * 2);
    const ratios = limitEdges.filter(({ rule }) => rule.startsWith("image ratio")).map(({ platform }) => platform);
    expect([...new Set(ratios)].toSorted()).toEqual(["instagram", "threads"]);
    const holding = (text: string) =>
      limitEdges.filter(({ rule }) => rule.includes(text)).map(({ platform }) => platform);
    expect([...new Set(holding("frames per second"))].toSorted()).toEqual(["instagram", "tiktok"]);
    expect([...new Set(holding("video sides"))]).toEqual(["tiktok"]);
    expect([...new Set(holding("video ratio"))]).toEqual(["twitter"]);
    expect([...new Set([...holding("shorter side"), ...holding("longer side")])]).toEqual(["tiktok"]);
    expect([...new Set(holding("pixels"))]).toEqual(["linkedin"]);
    expect(limitEdges.filter(({ rule }) => rule.endsWith("3000 bytes")).map(({ platform }) => platform)).toEqual([
      "bluesky",
      "bluesky",
    ]);
  });
});
