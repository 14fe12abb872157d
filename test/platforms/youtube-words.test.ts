// YouTube: what becomes of a post's words and settings.
import { describe, expect, test } from "vitest";
import { captionLength } from "../../lib/platforms/caption.ts";
import { failureOf } from "../../lib/platforms/platform.ts";
import { checkWords, videoResource } from "../../lib/platforms/youtube/content.ts";

describe("youtube words", () => {
  const contentOf = (caption: string, settings: Record<string, unknown>) => {
    return { caption, media: null, musicUrl: null, settings };
  };
  const resourceOf = (caption: string, settings: Record<string, unknown>) =>
    videoResource(contentOf(caption, settings));
  function refusalOf(caption: string, settings: Record<string, unknown>) {
    try {
      checkWords(contentOf(caption, settings));
    } catch (error) {
      return failureOf(error);
    }
    return null;
  }

  test.each([
    ["\n  \n Second line \nthird", "Second line"],
    ["x".repeat(101), "x".repeat(100)],
    // A family is one character of eleven units: it goes whole or not at all.
    [`${"x".repeat(90)}👨‍👩‍👧‍👦`, "x".repeat(90)],
    [`${"x".repeat(89)}👨‍👩‍👧‍👦`, `${"x".repeat(89)}👨‍👩‍👧‍👦`],
    ["I <3 you", "I ‹3 you"],
    ["a\r\nb", "a"],
  ])("the caption %j gives the title %j", (caption, title) => {
    expect(resourceOf(caption, {}).snippet.title).toBe(title);
  });

  test("own words win over the caption and go out as they are, or not at all", () => {
    const { snippet } = resourceOf("caption", { title: " Mine ", description: "Told" });
    expect(snippet).toMatchObject({ title: "Mine", description: "Told" });
    expect(refusalOf("caption", { title: "a < b" })).toMatchObject({ class: "content", code: "invalidTitle" });
    expect(refusalOf("caption", { description: "a > b" })).toMatchObject({ code: "invalidDescription" });
    expect(refusalOf(" \n ", {})).toMatchObject({ class: "content", code: "invalidTitle" });
  });

  test("a description is counted in bytes", () => {
    expect(refusalOf("é".repeat(2_500), {})).toBeNull();
    expect(refusalOf(`${"é".repeat(2_500)}x`, {})).toMatchObject({ class: "content", code: "caption_too_long" });
    expect(refusalOf("c", { description: "é".repeat(2_501) })).toMatchObject({ code: "invalidDescription" });
  });

  test("look-alikes that do not fit any more are left out", () => {
    const caption = `${"x".repeat(4_998)}<>`;
    expect(resourceOf(caption, {}).snippet.description).toBe("x".repeat(4_998));
    expect(captionLength(resourceOf(`${"x".repeat(4_994)}<>`, {}).snippet.description, "utf8_bytes")).toBe(5_000);
  });

  test("tags are counted together, with commas and quotes", () => {
    const tags = (count: number, label: string) => Array.from({ length: count }, () => ({ label }));
    // 45 tags of 10 characters and 44 commas are 494.
    expect(refusalOf("c", { tags: [...tags(45, "0123456789"), { label: "01234" }] })).toBeNull();
    expect(refusalOf("c", { tags: [...tags(45, "0123456789"), { label: "012345" }] })).toMatchObject({
      code: "invalidTags",
    });
    expect(refusalOf("c", { tags: [...tags(45, "0123456789"), { label: "0 2" }] })).toBeNull();
    expect(refusalOf("c", { tags: [...tags(45, "0123456789"), { label: "0 23" }] })).toMatchObject({
      class: "content",
    });
    expect(refusalOf("c", { tags: [{ label: "a<b" }] })).toMatchObject({ code: "invalidTags" });
  });

  test.each([
    [{}, "public", false],
    [{ privacy: "private" }, "private", false],
    [{ type: "unlisted" }, "unlisted", false],
    [{ madeForKids: true }, "public", true],
    [{ selfDeclaredMadeForKids: "no", madeForKids: true }, "public", false],
    [{ selfDeclaredMadeForKids: "yes" }, "public", true],
  ])("the settings %j mean %s, made for kids: %s", (settings, privacyStatus, selfDeclaredMadeForKids) => {
    expect(resourceOf("c", settings).status).toEqual({ privacyStatus, selfDeclaredMadeForKids });
  });
});
