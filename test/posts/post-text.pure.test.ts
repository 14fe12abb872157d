// Texts of posts are cleaned once, when they are parsed: counted, stored and sent alike.
import { expect, test } from "vitest";
import { buildContainers, findWarnings } from "../../lib/platforms/threads/content.ts";
import { PostCreate, PostPatch } from "../../lib/schemas/post-body.ts";
import { PinterestSettings, PostSettings, TikTokSettings } from "../../lib/schemas/post-settings.ts";
import { Slide } from "../../lib/schemas/slide.ts";
import { text } from "../platforms/content.ts";

const ACCOUNTS = [{ id: "0193a1b2-3c4d-7abc-8def-0123456789ab" }];

test.each([
  ["a\r\nb\r\nc", "a\nb\nc"],
  ["a\rb", "a\nb"],
  ["a\r\r\nb", "a\n\nb"],
  ["a\n\rb", "a\n\nb"],
  ["Title line\u000bsoft break\nbody\u0007 bell", "Title line\nsoft break\nbody bell"],
  ["a\u000cb\u2028c\u2029d\u0085e", "a\nb\nc\nd\ne"],
  ["a\u001b[31mred\u007f\u009f", "a[31mred"],
  ["a\tb  c\n", "a\tb  c\n"],
  ["👨‍👩‍👧 é\u200d\u00ad\ufeff", "👨‍👩‍👧 é\u200d\u00ad\ufeff"],
  ["مرحبا\u200f", "مرحبا\u200f"],
  ["\ufeff\ufeffhi \ufeffthere", "hi \ufeffthere"],
])("the caption %j is stored as %j", (caption, stored) => {
  expect(PostCreate.parse({ caption, accounts: ACCOUNTS }).caption).toBe(stored);
  expect(PostPatch.parse({ caption })).toEqual({ caption: stored });
});

test.each(["\u0007", "\u001b\u009f", "\ufeff"])("a caption of control characters only, %j, is empty", (caption) => {
  const { error } = PostCreate.safeParse({ caption, accounts: ACCOUNTS });
  expect(error?.issues).toMatchObject([{ path: ["caption"], message: "Must not be empty." }]);
});

test("limits apply to the cleaned text", () => {
  expect(PostCreate.safeParse({ caption: "\r\n".repeat(63_206), accounts: ACCOUNTS }).success).toBe(true);
  expect(PostCreate.safeParse({ caption: "\r\n".repeat(63_207), accounts: ACCOUNTS }).success).toBe(false);
});

test("titles, descriptions and tags are cleaned alike; what has one line keeps one", () => {
  const sent = "One\u000btwo\r\nthree\u0007";
  expect(TikTokSettings.parse({ title: sent, description: sent })).toEqual({
    title: "One\ntwo\nthree",
    description: "One\ntwo\nthree",
  });
  expect(PinterestSettings.parse({ title: sent, tags: [sent] })).toEqual({
    title: "One two three",
    tags: ["One two three"],
  });
  const youtube = { title: sent, description: sent, tags: [{ label: sent }] };
  expect(PostSettings.parse({ youtube, linkedin: { carousel_name: sent }, threads: { topic_tag: sent } })).toEqual({
    youtube: { title: "One two three", description: "One\ntwo\nthree", tags: [{ label: "One two three" }] },
    linkedin: { carousel_name: "One two three" },
    threads: { topic_tag: "One two three" },
  });
  for (const settings of [{ youtube: { title: "\u0007" } }, { linkedin: { carousel_name: "\n" } }]) {
    expect(PostSettings.safeParse(settings).success).toBe(false);
  }
});

const links = (count: number) => Array.from({ length: count }, (_, at) => `https://a.example/${at}`).join(" ");
test.each([
  [`${"x".repeat(489)} ’’’ cafés`, ["caption_may_be_too_long"], true],
  ["x".repeat(500), [], true],
  ["x".repeat(501), ["caption_may_be_too_long"], false],
  ["é".repeat(250), [], true],
  ["é".repeat(251), ["caption_may_be_too_long"], true],
  ["日".repeat(167), ["caption_may_be_too_long"], true],
  ["😀".repeat(125), [], true],
  ["😀".repeat(126), ["caption_may_be_too_long"], false],
  [links(3), [], true],
  [links(4), ["many_links"], true],
  [links(5), ["many_links"], true],
  [links(6), ["many_links"], false],
  [`${links(3)} https://a.example/0`, [], true],
])("Threads, %j: warnings %j, taken: %s", (caption, codes, isTaken) => {
  expect(findWarnings(text(caption)).map(({ code }) => code)).toEqual(codes);
  if (isTaken) expect(() => buildContainers({ content: text(caption) })).not.toThrow();
  else expect(() => buildContainers({ content: text(caption) })).toThrow(/caption_too_long|too_many_links/);
});

test("texts of slides are cleaned alike", () => {
  const slide = {
    text_elements: [{ content: "Title line\u000bsoft break\r\nbody\u0007 bell", x: 50, y: 50 }],
    image_url: null,
  };
  expect(Slide.parse(slide).text_elements[0]?.content).toBe("Title line\nsoft break\nbody bell");
});
