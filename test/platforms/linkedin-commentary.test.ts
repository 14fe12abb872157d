// LinkedIn: plain text in its little text format.
import { describe, expect, test } from "vitest";
import { commentaryOf, plainOf } from "../../lib/platforms/linkedin/content.ts";
import { readingOf } from "../local/networks/linkedin-wire.ts";

describe("linkedin commentary", () => {
  test.each([
    ["plain words & signs: 100% - fine!", "plain words & signs: 100% - fine!"],
    ["a\\b|c{d}e@f[g]h(i)j<k>l*m_n~o", "a\\\\b\\|c\\{d\\}e\\@f\\[g\\]h\\(i\\)j\\<k\\>l\\*m\\_n\\~o"],
    ["#sea and #Größe2", "{hashtag|\\#|sea} and {hashtag|\\#|Größe2}"],
    ["#1 C# a#b &#38; # #", "\\#1 C\\# a\\#b &\\#38; \\# \\#"],
    ["#sea_side", "{hashtag|\\#|sea}\\_side"],
    ["##twice", "\\#{hashtag|\\#|twice}"],
    ["", ""],
    ["(#sea)", "\\({hashtag|\\#|sea}\\)"],
  ])("%j is sent as %j and read as it was written", (text, commentary) => {
    expect(commentaryOf(text)).toBe(commentary);
    expect(readingOf(commentary)).toBe(text);
    expect(plainOf(commentary)).toBe(text);
  });

  test("words that look like a template stay words", () => {
    const text = "{hashtag|\\#|sea}";
    expect(readingOf(commentaryOf(text))).toBe(text);
  });
});
