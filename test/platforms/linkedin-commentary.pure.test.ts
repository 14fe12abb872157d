// LinkedIn commentary: plain text in the "little text" format.
import { describe, expect, test } from "vitest";
import { toCommentary, toPlainText } from "../../lib/platforms/linkedin/content.ts";
import { renderCommentary } from "../../lib/simulator/networks/linkedin-protocol.ts";

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
    ["see https://a.com/#pricing #now", "see https://a.com/\\#pricing {hashtag|\\#|now}"],
    ["www.a.com/#top or a.co.uk/b/#c, and/#or", "www.a.com/\\#top or a.co.uk/b/\\#c, and/{hashtag|\\#|or}"],
    ["#हिन्दी #แมว้ #cafe\u0301s", "{hashtag|\\#|हिन्दी} {hashtag|\\#|แมว้} {hashtag|\\#|cafe\u0301s}"],
  ])("%j is sent as %j and converted back", (text, commentary) => {
    expect(toCommentary(text)).toBe(commentary);
    expect(renderCommentary(commentary)).toBe(text);
    expect(toPlainText(commentary)).toBe(text);
  });

  test("text that looks like a hashtag template stays text", () => {
    const text = "{hashtag|\\#|sea}";
    expect(renderCommentary(toCommentary(text))).toBe(text);
  });
});
