// What each network takes, at the edge: the last post that passes and the first that does not, of every account type.
import { describe, expect, test } from "vitest";
import { PLATFORMS, type Platform } from "../../lib/platforms/platform.ts";
import { type CaptionUnit, CONTENT_KINDS, type Range } from "../../lib/platforms/rules.ts";
import { type AccountType, type Draft, fitting, limitsOf, problemsFor, told } from "./post.ts";

interface Edge {
  rule: string;
  passes: Draft[];
  fails: Draft;
  /** All problems of the failing post. */
  found: object[];
}

/** Two units of a sign that the unit counts like no other does, so that a wrong unit shows. */
const SIGNS: Record<CaptionUnit, { sign: string; units: number }> = {
  utf16: { sign: "😀", units: 2 },
  graphemes: { sign: "e\u0301", units: 1 },
  utf8_bytes: { sign: "é", units: 2 },
  emoji_as_bytes: { sign: "👍", units: 4 },
  weighted: { sign: "好", units: 2 },
};

function textOf(unit: CaptionUnit, length: number): string {
  const { sign, units } = SIGNS[unit];
  return sign.repeat(Math.floor(length / units)) + "a".repeat(length % units);
}

function captionEdges(platform: Platform, type: AccountType): Edge[] {
  const { limit, unit, maxBytes } = limitsOf(platform, type).caption;
  const text = textOf(unit, limit);
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
  // A family is one sign of 25 bytes, so that its bytes run out long before its number does.
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

function kindEdges(platform: Platform, type: AccountType): Edge[] {
  const { kinds, unsupported } = limitsOf(platform, type);
  const draft = (kind: (typeof CONTENT_KINDS)[number]) => ({ media: fitting(kind, platform, type) });
  return CONTENT_KINDS.filter((kind) => !kinds.includes(kind)).map((kind) => ({
    rule: `no ${kind}`,
    passes: kinds.map(draft),
    fails: draft(kind),
    found: [{ path: "media", code: "content_kind_unsupported", actual: kind, message: unsupported[kind] }],
  }));
}

function imageEdges(platform: Platform, type: AccountType): Edge[] {
  const { kinds, images } = limitsOf(platform, type);
  if (!kinds.includes("single_image")) return [];
  const [plain = ""] = images.types;
  const one = (facts: object) => ({ media: { images: [{ contentType: plain, ...facts }] } });
  const many = (count: number) => ({
    media: { images: Array.from({ length: count }, () => ({ contentType: plain })) },
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
      passes: types.map((contentType) => one({ contentType })),
      fails: one({ contentType: "image/tiff" }),
      found: [{ path, code: "media_type_unsupported", actual: "image/tiff" }],
    },
    ...(minRatio === undefined ? [] : [shape(minRatio, Math.round(minRatio * 10_000), -1)]),
    ...(maxRatio === undefined ? [] : [shape(maxRatio, Math.round(maxRatio * 10_000), 1)]),
    ...(maxSides === undefined ? [] : [side(maxSides, 1, 0), side(maxSides, 0, 1)]),
    ...(maxPixels === undefined ? [] : [large(maxPixels)]),
  ];
}

function videoEdges(platform: Platform, type: AccountType): Edge[] {
  const { kinds, videos } = limitsOf(platform, type);
  if (!kinds.includes("single_video")) return [];
  const { types, maxBytes, minSeconds, maxSeconds, sides, fps } = videos;
  const [plain = ""] = types;
  const one = (facts: object) => ({ media: { video: { contentType: plain, ...facts } } });
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
  const beating = ({ min, max }: Range, actual: number): Edge => ({
    rule: `${min} to ${max} frames a second, not ${actual}`,
    passes: [one({ fps: min }), one({ fps: max }), one({ fps: null })],
    fails: one({ fps: actual }),
    found: [{ path: "media.url", code: "frame_rate_unsupported", limit: actual < min ? min : max, actual }],
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
      passes: types.map((contentType) => one({ contentType })),
      fails: one({ contentType: "video/ogg" }),
      found: [{ path: "media.url", code: "media_type_unsupported", actual: "video/ogg" }],
    },
    ...(minSeconds ? [lasting(minSeconds, "video_too_short", -1)] : []),
    ...(maxSeconds === undefined ? [] : [lasting(maxSeconds, "video_too_long", 1)]),
    ...(sides ? [sized(sides, sides.min - 1), sized(sides, sides.max + 1)] : []),
    ...(fps ? [beating(fps, fps.min - 0.001), beating(fps, fps.max + 0.001)] : []),
  ];
}

const numbers = PLATFORMS.flatMap((platform) =>
  (["byo", "hosted"] as const).flatMap((type) =>
    [captionEdges, kindEdges, imageEdges, videoEdges].flatMap((edgesOf) =>
      edgesOf(platform, type).map((edge) => ({ platform, type, ...edge })),
    ),
  ),
);

describe("the numbers of the capabilities", () => {
  test.each(numbers)("$platform $type: $rule", ({ platform, type, passes, fails, found }) => {
    for (const draft of passes) expect(problemsFor(platform, type, draft)).toEqual([]);
    expect(problemsFor(platform, type, fails)).toEqual(told(found));
  });

  test("every network has edges of both account types, of words, and of every kind of media that it takes", () => {
    const named = new Set(numbers.map(({ platform, type }) => `${platform} ${type}`));
    expect(named.size).toBe(PLATFORMS.length * 2);
    const ratios = numbers.filter(({ rule }) => rule.startsWith("image ratio")).map(({ platform }) => platform);
    expect([...new Set(ratios)].toSorted()).toEqual(["instagram", "threads"]);
    const holding = (words: string) =>
      numbers.filter(({ rule }) => rule.includes(words)).map(({ platform }) => platform);
    expect([...new Set(holding("frames a second"))].toSorted()).toEqual(["instagram", "tiktok"]);
    expect([...new Set(holding("video sides"))]).toEqual(["tiktok"]);
    expect([...new Set([...holding("shorter side"), ...holding("longer side")])]).toEqual(["tiktok"]);
    expect([...new Set(holding("pixels"))]).toEqual(["linkedin"]);
    expect(numbers.filter(({ rule }) => rule.endsWith("3000 bytes")).map(({ platform }) => platform)).toEqual([
      "bluesky",
      "bluesky",
    ]);
  });
});
