// Texts of generated slides that do not fit, in a font whose characters are all as wide as its size.
import { expect, test } from "vitest";
import { layOutSlide } from "../../lib/rendering/slide-layout.ts";
import { createTextLayouter } from "../../lib/rendering/text-layout.ts";

async function layOut(heading: string, body: string): Promise<string[]> {
  const layouter = createTextLayouter(async (texts) => texts.map((text) => [...text].length));
  const layout = await layOutSlide({ heading, body }, { aspect_ratio: "2:1" }, "en", layouter);
  return layout.map(({ content }) => content);
}

test.each([
  ["English", "calm mornings, ", /(calm|mornings)…$/],
  ["Thai, which has no spaces", "วันนี้อากาศดีมาก", /(วัน|นี้|อากาศ|ดี|มาก)…$/],
  ["Japanese with a space after each sentence", "小さな習慣を身につける。 ", /(小さな|習慣|を|身|につける)…$/],
])("a long body ends after a whole word: %s", async (_what, sentence, wanted) => {
  const long = sentence.repeat(60);
  const [heading, body = ""] = await layOut("Habits", long);
  expect(heading).toBe("Habits");
  expect(body).toMatch(wanted);
  expect(long.startsWith(body.slice(0, -1))).toBe(true);
});

test("a heading of one word that no slide holds is cut inside of the word, and has no body", async () => {
  const [heading = "", ...others] = await layOut("a".repeat(2_000), "body");
  expect(heading).toMatch(/^a{100,}…$/);
  expect(others).toEqual([]);
});
