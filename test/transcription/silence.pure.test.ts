// Silence as recognizers report it: text where nobody speaks has no words.
import { expect, test } from "vitest";
import { findSounds, isSoundOnly } from "../../lib/transcription/sounds.ts";
import { listWords, readTexts, readTranscript, SEGMENT } from "./read-words.ts";

const silent = (no_speech_prob: number, avg_logprob: number | undefined, text = " Thanks for watching!") => ({
  ...SEGMENT,
  start: 0,
  end: 65,
  text,
  no_speech_prob,
  avg_logprob,
});

test.each<[string, unknown]>([
  ["a sure text where nobody speaks", { text: "Thanks for watching!", segments: [silent(0.95, -0.2)] }],
  [
    "its words beside it",
    { text: "Thanks for watching!", words: listWords("Thanks", "for", "watching"), segments: [silent(0.95, -0.2)] },
  ],
  ["its words inside it", { text: "Thanks", segments: [{ ...silent(0.95, -0.2), words: listWords(" Thanks") }] }],
  ["an unsure text", { text: "you", segments: [silent(0.7, -1.2, " you")] }],
  [
    "blank audio of whisper.cpp",
    {
      text: " [BLANK_AUDIO]",
      segments: [{ ...silent(0.1, -0.3, " [BLANK_AUDIO]"), words: listWords(" [", "BL", "ANK", "_", "AUDIO", "]") }],
    },
  ],
  ["a sound", { text: "(music)", segments: [silent(0.2, -0.3, " (music)")] }],
  ["words only", { words: listWords("[BLANK_AUDIO]") }],
  ["words in one bracket", { words: listWords("[MUSIC", "PLAYING]") }],
  ["pieces in one bracket", { words: listWords(" [", "MUSIC", " PLAY", "ING", "]", ".") }],
  ["a Japanese bracket", { words: listWords("［", "音楽", "が", "流れる", "］") }],
  ["words in a round bracket only", { text: "(upbeat music)", words: listWords("upbeat", "music") }],
  ["several brackets", { text: "(音楽) (拍手)", segments: [silent(0.1, -0.3, "(音楽) (拍手)")] }],
  ["brackets with full stops", { text: "", segments: [silent(0.1, -0.3, " [Applause]. (laughs)... *sighs*")] }],
  ["a bracket over two segments", { segments: [silent(0.1, -0.3, " [MUSIC"), silent(0.1, -0.3, " PLAYING]")] }],
  ["a text without words", { text: "Thank you.", words: [] }],
  ["no text", { text: "" }],
  ["no segments", { text: "", segments: [] }],
  ["a text of punctuation", { text: "...", words: listWords("...") }],
  ["Deepgram", { results: { channels: [{ alternatives: [{ transcript: "", words: [] }] }] } }],
])("silence has no words: %s", (_, response) => {
  expect(readTranscript(response).words).toEqual([]);
});

test("speech beside silence is kept, and so is speech that the model thinks unlikely", () => {
  const segments = [
    { ...SEGMENT, start: 0, end: 2, text: " Hello there" },
    { ...silent(0.95, -0.2), start: 2, end: 60 },
  ];
  const words = [...listWords("Hello", "there"), { word: "Thanks", start: 30, end: 31 }];
  expect(readTexts({ text: "Hello there Thanks for watching!", words, segments })).toEqual(["Hello", "there"]);
  expect(readTexts({ text: "Sing", segments: [silent(0.75, -0.3, " Sing (2024)")] })).toEqual(["Sing", "(2024)"]);
});

test("sounds beside speech are dropped, and speech in round brackets is kept", () => {
  const readText = (text: string) => readTexts({ segments: [{ ...SEGMENT, start: 0, end: 9, text }] }).join(" ");
  expect(readText(" Hello [MUSIC PLAYING] there [laughs].")).toBe("Hello there");
  expect(readText(" [Music] Well (maybe not) yes.")).toBe("Well (maybe not) yes.");
  expect(readText(" (Yes) she said (no).")).toBe("(Yes) she said (no).");
  expect(readText(" An open [ bracket")).toBe("An open [bracket");
  expect(readText(` Well [never closed ${"word ".repeat(30)}]`)).toContain("[never closed word word");
  expect(readTexts({ words: listWords("so", "[MUSIC", "PLAYING]", "yes") })).toEqual(["so", "yes"]);
});

test("notes of music alone are no words, and those beside words stay", () => {
  const readText = (text: string) => readTexts({ segments: [{ ...SEGMENT, start: 0, end: 9, text }] }).join(" ");
  for (const text of [" ♪", " ♪♪ ♪♪", " 🎵 [Music] 🎶."]) expect(readText(text)).toBe("");
  expect(readText(" ♪ Hello there ♪")).toBe("♪ Hello there ♪");
});

test("brackets without an end are read at once", () => {
  const started = performance.now();
  for (const text of [
    "(".repeat(50_000),
    "[ ".repeat(50_000),
    `${"()".repeat(50_000)}x`,
    `${"♪ ".repeat(50_000)}x`,
    "[x".repeat(50_000),
  ]) {
    expect(isSoundOnly(text)).toBe(false);
    expect(findSounds(text)).toEqual([]);
  }
  expect(performance.now() - started).toBeLessThan(1_000);
});
