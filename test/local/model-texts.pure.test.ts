// The sentences of the fake language model.
import { expect, test } from "vitest";
import { writeSlideshowTexts, writeSlideTexts } from "./model-texts.ts";

const BRIEF = {
  topic: "Three reasons for tea.",
  product: null,
  slideshow_type: "educational",
  language: "same_as_prompt",
  slides: ["title", "content", "content", "call_to_action"],
  room: { heading_characters: 40, body_characters: 105 },
};

test("a slideshow in English: a title of the topic, different points, and a question, all within their room", () => {
  for (let at = 0; at < 30; at++) {
    for (const slideshow_type of ["educational", "personal"]) {
      const written = writeSlideshowTexts({ ...BRIEF, slideshow_type }, at);
      expect(written?.title).toBe("Three reasons for tea");
      expect(written?.slides.map(({ body }) => body.includes("three reasons for tea"))).toEqual([
        false,
        true,
        true,
        true,
      ]);
      expect(written?.slides[0]?.heading.toLowerCase()).toContain("three reasons for tea");
      expect(new Set(written?.slides.flatMap(({ heading, body }) => [heading, body])).size).toBe(8);
      for (const { heading, body } of written?.slides ?? []) {
        expect(heading.length).toBeLessThanOrEqual(40);
        expect(body.length).toBeLessThanOrEqual(105);
      }
    }
  }
});

test("a long topic is cut between words, and a product is named in the last slide", () => {
  const brief = {
    ...BRIEF,
    topic: `How ${"very ".repeat(100)}long`,
    product: { name: "Kettle 3000", description: null },
  };
  const written = writeSlideshowTexts(brief, 0);
  expect(written?.title).toBe("How very very very very very very very");
  expect(written?.slides.at(-1)?.body).toBe("Try Kettle 3000 and tell us how it went.");
});

test("one slide that is written again; null for another language, another prompt and no topic", () => {
  expect(writeSlideTexts({ ...BRIEF, texts: [], rewrite: 3 }, 0)?.heading).toBe("Save this for later");
  expect(writeSlideTexts(BRIEF, 0)).toBeNull();
  expect(writeSlideshowTexts({ ...BRIEF, language: "de" }, 0)).toBeNull();
  expect(writeSlideshowTexts({ ...BRIEF, topic: "お茶の三つの理由" }, 0)).toBeNull();
  expect(writeSlideshowTexts({ ...BRIEF, topic: null }, 0)).toBeNull();
  expect(writeSlideshowTexts("tea", 0)).toBeNull();
});
