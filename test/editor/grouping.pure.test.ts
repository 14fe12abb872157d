// Placing words on the timeline and grouping them into captions, as pure functions.
import { expect, test } from "vitest";
import { type AudibleClip, collectRanges, findAudibleClips, fingerprintClips } from "../../lib/editor/audible-clips.ts";
import { buildCaptions } from "../../lib/editor/captions.ts";
import { placeWords, sortWords } from "../../lib/editor/place-words.ts";
import { createIdGenerator } from "../../lib/shared/ids.ts";
import type { ProjectWord, TranscribedWord } from "../../lib/shared/project-document.ts";

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
const word = (text: string, start: number, end: number): TranscribedWord => ({ text, start, end });
const place = (clips: AudibleClip[], words: TranscribedWord[]) =>
  placeWords(clips, new Map([["file", words]]), (id) => id);
const ids = () => createIdGenerator("seed", new Date(0));
const caption = (clips: AudibleClip[], words: TranscribedWord[]) =>
  buildCaptions(clips, place(clips, words), ids()).map(({ text, start_ms, end_ms }) => [text, start_ms, end_ms]);

test("a word is shifted by trim, speed and position, and clamped to its clip", () => {
  const trimmed = clip({ start_ms: 5_000, end_ms: 6_500, source_start_ms: 2_000, source_end_ms: 5_000, speed: 2 });
  const words = [
    word("before", 1_000, 1_800),
    word("half", 1_900, 2_300),
    word("in", 3_000, 3_400),
    word("out", 4_800, 5_300),
  ];
  expect(place([trimmed], words)).toEqual([
    [
      { text: "half", start_ms: 5_000, end_ms: 5_150 },
      { text: "in", start_ms: 5_500, end_ms: 5_700 },
    ],
  ]);
  const slow = clip({ end_ms: 20_000, speed: 0.5 });
  expect(place([slow], [word("slow", 1_000, 1_500)])).toEqual([[{ text: "slow", start_ms: 2_000, end_ms: 3_000 }]]);
});

test("captions end at a pause over 300 ms, at 42 characters and at 3 s of speech", () => {
  const [a, b] = [word("first part", 0, 900), word("second part", 1_300, 2_300)];
  expect(caption([clip()], [a, b])).toEqual([
    ["first part", 0, 1_300],
    ["second part", 1_300, 2_800],
  ]);
  expect(caption([clip()], [a, { ...b, start: 1_200 }])).toEqual([["first part second part", 0, 2_800]]);
  const twenty = "x".repeat(20);
  const wide = [word(twenty, 0, 1_100), word(`${twenty}y`, 1_100, 2_200)];
  expect(caption([clip()], wide)).toEqual([[`${twenty}\n${twenty}y`, 0, 2_700]]);
  expect(caption([clip()], [word(`${twenty}zz`, 0, 1_100), ...wide.slice(1)])).toHaveLength(1 + 1);
  const long = [word("a", 0, 1_000), word("b", 1_000, 2_000), word("c", 2_000, 3_000), word("d", 3_000, 3_001)];
  for (const [, start, end] of caption([clip()], long)) expect(Number(end) - Number(start)).toBeLessThanOrEqual(3_000);
});

test("a caption stays for a second or until the next one, and at most half a second after its last word", () => {
  expect(caption([clip()], [word("hi", 500, 700)])).toEqual([["hi", 500, 1_500]]);
  expect(caption([clip()], [word("a longer sentence", 0, 1_400)])).toEqual([["a longer sentence", 0, 1_900]]);
  const next = word("afterwards, much later", 3_050, 4_000);
  expect(caption([clip()], [word("a longer sentence", 0, 2_900), next])[0]).toEqual(["a longer sentence", 0, 3_000]);
  // Not beyond the clip: the project would become longer.
  expect(caption([clip({ end_ms: 1_200 })], [word("hi", 500, 700)])).toEqual([["hi", 500, 1_200]]);
});

test("no caption crosses a pause over 300 ms or is shown for more than 3 s", () => {
  const [a, c] = [word("one", 0, 400), word("two more words", 1_401, 2_300)];
  const texts = (words: TranscribedWord[]) => caption([clip()], words).map(([text]) => text);
  expect(texts([a, word("two", 701, 1_000)])).toEqual(["one", "two"]);
  expect(texts([a, word("two", 700, 1_000)])).toEqual(["one two"]);
  expect(texts([a, c])).toEqual(["one", "two more words"]);
  expect(caption([clip()], [word("a long word that is sung", 0, 2_900)])).toEqual([
    ["a long word that is sung", 0, 3_000],
  ]);
});

test("captions break at the ends of sentences, then of clauses, and two lines are about as long", () => {
  const speak = (text: string) =>
    caption(
      [clip()],
      text.split(" ").map((one, index) => word(one, index * 260, index * 260 + 250)),
    ).map(([line]) => line);
  expect(speak("we tried it all week. then it rained again")).toEqual([
    "we tried it all week.",
    "then it rained again",
  ]);
  expect(speak("when the rain came in, we ran back to the old house")).toEqual([
    "when the rain came in,",
    "we ran back to\nthe old house",
  ]);
  expect(speak("this is what we would like to do.")).toEqual(["this is what we\nwould like to do."]);
});

test("a word that is too long for a line has two lines in one caption, one that lasts too long is shortened", () => {
  expect(caption([clip()], [word("y".repeat(60), 0, 360)])).toEqual([
    [`${"y".repeat(30)}\n${"y".repeat(30)}`, 0, 1_000],
  ]);
  expect(caption([clip()], [word("y".repeat(42), 0, 360)])).toEqual([["y".repeat(42), 0, 1_000]]);
  const [first, second] = caption([clip()], [word("y".repeat(120), 0, 2_400)]);
  expect([first, second]).toEqual([
    [`${"y".repeat(30)}\n${"y".repeat(30)}`, 0, 1_200],
    [`${"y".repeat(30)}\n${"y".repeat(30)}`, 1_200, 2_900],
  ]);
  expect(caption([clip()], [word("hm", 0, 5_000)])).toEqual([["hm", 0, 3_000]]);
  // Grapheme clusters are not split.
  for (const [text] of caption([clip()], [word("👩‍👩‍👧".repeat(60), 0, 1_000)]))
    expect(String(text)).toMatch(/^(👩‍👩‍👧)+\n(👩‍👩‍👧)+$/u);
});

test.each([
  ["今日", "は", "TikTok", "今日は TikTok"],
  ["你好,", "世界。", "!", "你好,世界。!"],
  ["と", "「東京」", "へ", "と「東京」へ"],
  ["สวัสดี", "ครับ", "OK", "สวัสดีครับ OK"],
  ["안녕하세요", "여러분", "!", "안녕하세요 여러분 !"],
])("words of scripts without spaces are joined without spaces: %s %s %s", (a, b, c, expected) => {
  expect(caption([clip()], [word(a, 0, 300), word(b, 300, 400), word(c, 500, 800)])).toEqual([[expected, 0, 1_300]]);
});

test.each([
  ["ja", 13, ["新しい", "動画を", "たくさん", "見ました", "けど", "コミュニケーションは", "むずかしい"]],
  ["zh", 16, ["我们", "今天", "一起", "去", "北京", "看看", "长城", "和", "故宫", "真的", "很", "好"]],
  ["ko", 16, ["오늘은", "새로운", "영상을", "함께", "만들어", "보겠습니다", "감사합니다"]],
])(
  "full-width characters count two: lines of %s have at most %d, and no line breaks inside a word",
  (_, limit, texts) => {
    const words = Array.from({ length: 8 }, () => texts)
      .flat()
      .map((text, at) => word(text, at * 250, at * 250 + 250));
    const captions = caption([clip({ end_ms: 60_000, source_end_ms: 60_000 })], words);
    const allowed = new Set(texts);
    for (const [text] of captions) {
      const lines = String(text).split("\n");
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(line.replaceAll(" ", "").length).toBeLessThanOrEqual(limit);
      expect(String(text).replaceAll(/\s/g, "").length).toBeLessThanOrEqual(21);
      for (const line of lines) expect(removeWords(line, allowed)).toBe("");
    }
    expect(captions.map(([text]) => String(text).replaceAll(/\s/g, "")).join("")).toBe(
      words.map(({ text }) => text).join(""),
    );
  },
);

/** What is left of a line without its words, longest first. */
function removeWords(line: string, words: Set<string>): string {
  return [...words]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, one) => rest.replaceAll(one, ""), line)
    .trim();
}

test("overlapping clips are captioned separately and sorted by start; consecutive clips are captioned together", () => {
  const clips = [
    clip({ end_ms: 2_000, source_end_ms: 2_000 }),
    clip({ start_ms: 1_000, end_ms: 3_000, source_start_ms: 5_000, source_end_ms: 7_000, track: 1 }),
    clip({ start_ms: 2_000, end_ms: 4_000, source_start_ms: 2_000, source_end_ms: 4_000 }),
  ];
  const words = [
    word("a", 500, 1_300),
    word("b", 1_700, 1_990),
    word("c", 2_100, 2_700),
    word("x", 5_100, 5_400),
    word("y", 5_600, 5_900),
  ];
  expect(caption(clips, words)).toEqual([
    ["a", 500, 1_700],
    ["x y", 1_100, 2_400],
    ["b c", 1_700, 3_200],
  ]);
  const order = sortWords(place(clips, words)).map(({ text }: ProjectWord) => text);
  expect(order).toEqual(["a", "x", "y", "b", "c"]);
});

test("the same audio on two tracks is captioned once at the same time, and again at another time", () => {
  const twin = clip({ track: 1, start_ms: 40, end_ms: 10_040 });
  const again = clip({ track: 2, start_ms: 20_000, end_ms: 30_000 });
  expect(caption([clip(), twin, again], [word("once", 500, 900)])).toEqual([
    ["once", 500, 1_500],
    ["once", 20_500, 21_500],
  ]);
});

test("audible clips have audio, are not muted and have a volume, sorted by start and track", () => {
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
  const audible = findAudibleClips(document);
  expect(audible.map(({ clip_id }) => clip_id)).toEqual(["top", "under", "late"]);
  expect(fingerprintClips(audible)).not.toBe(fingerprintClips(audible.slice(1)));
  expect(fingerprintClips(audible)).toBe(
    fingerprintClips(audible.map((one) => ({ ...one, volume: 2, clip_id: "renamed" }))),
  );
});

test("adjacent ranges of the same content are merged across files", () => {
  const range = (from: number, until: number, fileId: string) =>
    clip({ source_start_ms: from, source_end_ms: until, fileId });
  const clips = [
    range(4_000, 6_000, "copy"),
    range(0, 2_000, "file"),
    range(1_000, 3_000, "copy"),
    range(3_000, 3_500, "file"),
  ];
  const other = range(0, 100, "other");
  const ranges = collectRanges([...clips, other], (id) => (id === "other" ? "content 2" : "content 1"));
  expect(Object.fromEntries(ranges)).toEqual({
    "content 1": [
      { startMs: 0, endMs: 3_500 },
      { startMs: 4_000, endMs: 6_000 },
    ],
    "content 2": [{ startMs: 0, endMs: 100 }],
  });
});
