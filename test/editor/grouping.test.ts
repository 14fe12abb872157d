// How words of files become words on the timeline, and those become captions; no file and no network in it.
import { expect, test } from "vitest";
import type { HeardWord, ProjectWord } from "../../drizzle/schema/editor.ts";
import { captionsOf, inOrder, wordsOfClips } from "../../lib/editor/captions.ts";
import { type AudibleClip, audibleClips, printOf, rangesOf } from "../../lib/editor/cut.ts";
import { idsFrom } from "../../lib/ids.ts";

const clip = (change: Partial<AudibleClip> = {}): AudibleClip => ({
  clip_id: "c",
  asset_id: "a",
  fileId: "file",
  track: 0,
  start_ms: 0,
  end_ms: 10_000,
  source_start_ms: 0,
  source_end_ms: 10_000,
  speed: 1,
  volume: 1,
  muted: false,
  ...change,
});
const word = (text: string, start: number, end: number): HeardWord => ({ text, start, end });
const placed = (clips: AudibleClip[], words: HeardWord[]) =>
  wordsOfClips(clips, new Map([["file", words]]), (id) => id);
const ids = () => idsFrom("seed", new Date(0));
const captioned = (clips: AudibleClip[], words: HeardWord[]) =>
  captionsOf(clips, placed(clips, words), ids()).map(({ text, start_ms, end_ms }) => [text, start_ms, end_ms]);

test("a word is moved by trim, speed and position, and cut at the edges of its clip", () => {
  const trimmed = clip({ start_ms: 5_000, end_ms: 6_500, source_start_ms: 2_000, source_end_ms: 5_000, speed: 2 });
  const words = [
    word("before", 1_000, 1_800),
    word("half", 1_900, 2_300),
    word("in", 3_000, 3_400),
    word("out", 4_800, 5_300),
  ];
  expect(placed([trimmed], words)).toEqual([
    [
      { text: "half", start_ms: 5_000, end_ms: 5_150 },
      { text: "in", start_ms: 5_500, end_ms: 5_700 },
    ],
  ]);
  const slow = clip({ end_ms: 20_000, speed: 0.5 });
  expect(placed([slow], [word("slow", 1_000, 1_500)])).toEqual([[{ text: "slow", start_ms: 2_000, end_ms: 3_000 }]]);
});

test("captions end at a pause of more than 300 ms, at 42 characters and at 3 s, and not before", () => {
  const [a, b] = [word("one", 0, 400), word("two", 700, 1_000)];
  expect(captioned([clip()], [a, b])).toEqual([["one two", 0, 1_000]]);
  expect(captioned([clip()], [a, { ...b, start: 701 }])).toEqual([
    ["one", 0, 400],
    ["two", 701, 1_000],
  ]);
  const twenty = "x".repeat(20);
  const wide = [word(twenty, 0, 100), word(`${twenty}y`, 100, 200)];
  expect(captioned([clip()], wide)).toEqual([[`${twenty} ${twenty}y`, 0, 200]]);
  expect(captioned([clip()], [word(`${twenty}z`, 0, 100), ...wide.slice(1)])).toHaveLength(1 + 1);
  const long = [word("a", 0, 1_000), word("b", 1_000, 2_000), word("c", 2_000, 3_000), word("d", 3_000, 3_001)];
  expect(captioned([clip()], long)).toEqual([
    ["a b c", 0, 3_000],
    ["d", 3_000, 3_001],
  ]);
});

test("a word that is too long for a caption is shared out, one that lasts too long is cut off", () => {
  const [first, second] = captioned([clip()], [word("y".repeat(50), 0, 1_000)]);
  expect([first, second]).toEqual([
    ["y".repeat(42), 0, 500],
    ["y".repeat(8), 500, 1_000],
  ]);
  expect(captioned([clip()], [word("hm", 0, 5_000)])).toEqual([["hm", 0, 3_000]]);
  // No character falls apart.
  for (const [text] of captioned([clip()], [word("👩‍👩‍👧".repeat(12), 0, 1_000)]))
    expect(String(text)).toMatch(/^(👩‍👩‍👧)+$/u);
});

test("scripts without spaces are written without spaces", () => {
  expect(captioned([clip()], [word("今日", 0, 300), word("は", 300, 400), word("TikTok", 500, 800)])).toEqual([
    ["今日は TikTok", 0, 800],
  ]);
});

test("clips that overlap are captioned each for itself and listed by their beginning; those that follow one another are not split", () => {
  const clips = [
    clip({ end_ms: 2_000, source_end_ms: 2_000 }),
    clip({ start_ms: 1_000, end_ms: 3_000, source_start_ms: 5_000, source_end_ms: 7_000, track: 1 }),
    clip({ start_ms: 2_000, end_ms: 4_000, source_start_ms: 2_000, source_end_ms: 4_000 }),
  ];
  const words = [
    word("a", 1_000, 1_300),
    word("b", 1_700, 1_990),
    word("c", 2_100, 2_400),
    word("x", 5_100, 5_400),
    word("y", 5_600, 5_900),
  ];
  expect(captioned(clips, words)).toEqual([
    ["a", 1_000, 1_300],
    ["x y", 1_100, 1_900],
    ["b c", 1_700, 2_400],
  ]);
  const order = inOrder(placed(clips, words)).map(({ text }: ProjectWord) => text);
  expect(order).toEqual(["a", "x", "y", "b", "c"]);
});

test("the same sound on two tracks at once is heard once, at another time again", () => {
  const twin = clip({ track: 1, start_ms: 40, end_ms: 10_040 });
  const again = clip({ track: 2, start_ms: 20_000, end_ms: 30_000 });
  expect(captioned([clip(), twin, again], [word("once", 500, 900)])).toEqual([
    ["once", 500, 900],
    ["once", 20_500, 20_900],
  ]);
});

test("what is heard: clips with sound that are not muted and not silent, in the order of the timeline and its tracks", () => {
  const asset = { asset_id: "a", file_id: "f", type: "video" as const, url: "", duration_ms: 9, width: 1, height: 1 };
  const assets = [
    { ...asset, has_audio: true },
    { ...asset, asset_id: "mute", has_audio: false },
    { ...asset, asset_id: "picture", type: "image" as const, has_audio: true },
  ];
  const of = (clip_id: string, change: object) => ({ ...clip(), clip_id, asset_id: "a", ...change });
  const clips = [
    of("late", { start_ms: 50 }),
    of("under", { track: 1 }),
    of("top", {}),
    of("muted", { muted: true }),
    of("silent", { volume: 0 }),
    of("no sound", { asset_id: "mute" }),
    of("still", { asset_id: "picture" }),
    of("lost", { asset_id: "gone" }),
  ];
  const document = {
    assets,
    clips,
    text_clips: [],
    undo: null,
    render: { status: "none" as const, url: null, rendered_at: null },
  };
  const heard = audibleClips(document);
  expect(heard.map(({ clip_id }) => clip_id)).toEqual(["top", "under", "late"]);
  expect(printOf(heard)).not.toBe(printOf(heard.slice(1)));
  expect(printOf(heard)).toBe(printOf(heard.map((one) => ({ ...one, volume: 2, clip_id: "renamed" }))));
});

test("ranges of one content are joined where they touch, whatever the file and the order", () => {
  const range = (from: number, until: number, fileId: string) =>
    clip({ source_start_ms: from, source_end_ms: until, fileId });
  const clips = [
    range(4_000, 6_000, "copy"),
    range(0, 2_000, "file"),
    range(1_000, 3_000, "copy"),
    range(3_000, 3_500, "file"),
  ];
  const other = range(0, 100, "other");
  const ranges = rangesOf([...clips, other], (id) => (id === "other" ? "content 2" : "content 1"));
  expect(Object.fromEntries(ranges)).toEqual({
    "content 1": [
      { startMs: 0, endMs: 3_500 },
      { startMs: 4_000, endMs: 6_000 },
    ],
    "content 2": [{ startMs: 0, endMs: 100 }],
  });
});
