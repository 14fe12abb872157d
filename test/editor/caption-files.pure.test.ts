// Captions as files that players read: cues that stay apart, and lines in the direction of their language.
import { expect, test } from "vitest";
import { buildCaptionFile } from "../../lib/editor/caption-files.ts";

const caption = (text: string, start_ms: number) => ({
  ...{ clip_id: `c${start_ms}`, role: "caption" as const },
  ...{ text, start_ms, end_ms: start_ms + 500 },
});

test("captions without text leave no cue, so that the next one stays apart", () => {
  const texts = [caption("One", 0), caption(" \n\u0085\u2028 ", 1_000), caption("Two\n\nlines", 2_000)];
  expect(buildCaptionFile(texts, "srt")).toBe(
    "1\r\n00:00:00,000 --> 00:00:00,500\r\nOne\r\n\r\n2\r\n00:00:02,000 --> 00:00:02,500\r\nTwo\r\nlines\r\n",
  );
  expect(buildCaptionFile(texts, "vtt")).toBe(
    "WEBVTT\n\n00:00:00.000 --> 00:00:00.500\nOne\n\n00:00:02.000 --> 00:00:02.500\nTwo\nlines\n",
  );
});

test.each([
  ["Hebrew that begins with a name", "ChatGPT הוא כלי\nשל העתיד.", ["\u200fChatGPT הוא כלי", "של העתיד."]],
  ["Arabic with a line of digits", "هل أنتم مستعدون؟\n50%!", ["هل أنتم مستعدون؟", "\u200f50%!"]],
  ["English with a Hebrew word", "The word שלום\nmeans peace.", ["The word שלום", "means peace."]],
  ["Persian", "می‌خواهیم", ["می‌خواهیم"]],
  ["no letters", "50%", ["50%"]],
])("lines of right-to-left captions begin in their direction: %s", (_, text, lines) => {
  for (const format of ["srt", "vtt"] as const)
    expect(
      buildCaptionFile([caption(text, 0)], format)
        .trimEnd()
        .split(/\r?\n/)
        .slice(-lines.length),
    ).toEqual(lines);
});
