// YouTube metadata: the video resource for a post's caption and settings.

import { describe, expect, test } from "vitest";
import { measureCaption } from "../../lib/platforms/caption.ts";
import { getFailure } from "../../lib/platforms/platform.ts";
import { assertPublishable, buildVideoResource } from "../../lib/platforms/youtube/content.ts";
import { youtube } from "../../lib/platforms/youtube/driver.ts";

describe("youtube metadata", () => {
  const contentOf = (caption: string, settings: Record<string, unknown>) => {
    return { caption, media: null, musicUrl: null, settings };
  };
  const resourceOf = (caption: string, settings: Record<string, unknown>) =>
    buildVideoResource(contentOf(caption, settings));
  function refusalOf(caption: string, settings: Record<string, unknown>) {
    try {
      assertPublishable(contentOf(caption, settings));
    } catch (error) {
      return getFailure(error);
    }
    return null;
  }

  test.each([
    ["\n  \n Second line \nthird", "Second line"],
    ["x".repeat(101), "x".repeat(100)],
    // A family emoji is one grapheme of eleven UTF-16 units and is never split.
    [`${"x".repeat(90)}👨‍👩‍👧‍👦`, "x".repeat(90)],
    [`${"x".repeat(89)}👨‍👩‍👧‍👦`, `${"x".repeat(89)}👨‍👩‍👧‍👦`],
    ["I <3 you", "I ‹3 you"],
    ["a\r\nb", "a"],
  ])("the caption %j gives the title %j", (caption, title) => {
    expect(resourceOf(caption, {}).snippet.title).toBe(title);
  });

  test.each([
    ["x".repeat(100), {}, []],
    [`${"x".repeat(101)}\nmore`, {}, [101]],
    ["x".repeat(101), { title: "Mine" }, []],
  ])("the title from the caption %j with %j is announced when it is shortened", (caption, settings, lengths) => {
    const found = youtube.warn?.(contentOf(caption, settings)) ?? [];
    const warning = { path: "caption", code: "title_shortened", limit: 100 };
    expect(found).toMatchObject(lengths.map((actual) => ({ ...warning, actual })));
  });

  test("settings override the caption", () => {
    const { snippet } = resourceOf("caption", { title: " Mine ", description: "Own" });
    expect(snippet).toMatchObject({ title: "Mine", description: "Own" });
    expect(refusalOf(" \n ", {})).toMatchObject({ class: "content", code: "invalidTitle" });
  });

  test("a description is measured in bytes", () => {
    expect(refusalOf("é".repeat(2_500), {})).toBeNull();
    expect(refusalOf(`${"é".repeat(2_500)}x`, {})).toMatchObject({ class: "content", code: "caption_too_long" });
    expect(refusalOf("c", { description: "é".repeat(2_501) })).toMatchObject({ code: "invalidDescription" });
  });

  test("brackets whose replacements do not fit are removed", () => {
    const caption = `${"x".repeat(4_998)}<>`;
    expect(resourceOf(caption, {}).snippet.description).toBe("x".repeat(4_998));
    expect(measureCaption(resourceOf(`${"x".repeat(4_994)}<>`, {}).snippet.description, "utf8_bytes")).toBe(5_000);
  });

  test("tags are measured together, with commas and quotes", () => {
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
  });

  test.each([
    [
      ["a, b ,c", "d"],
      ["a", "b", "c", "d"],
    ],
    [
      [",", " , ", "a,,b,"],
      ["a", "b"],
    ],
    [["two words, more words"], ["two words", "more words"]],
    [["a<b"], ["a‹b"]],
  ])("the tag labels %j are the tags %j", (labels, tags) => {
    expect(resourceOf("c", { tags: labels.map((label) => ({ label })) }).snippet.tags).toEqual(tags);
  });

  // One rule for all texts, said by the check.
  test.each([
    ["I <3 you", {}, ["caption"]],
    ["I <3 you", { title: "Mine" }, ["caption"]],
    ["I <3 you", { title: "Mine", description: "Own" }, []],
    ["c", { title: "a < b" }, ["settings.youtube.title"]],
    ["c", { description: "a > b" }, ["settings.youtube.description"]],
    ["c", { tags: [{ label: "fine" }, { label: "<b>" }] }, ["settings.youtube.tags.1.label"]],
    ["1 < 2", { title: "<", description: ">", tags: [{ label: ">" }] }, 3],
    ["a ‹ b", { title: "›" }, []],
  ])("the caption %j with %j has warnings at %j, and no bracket is sent", (caption, settings, paths) => {
    const content = contentOf(caption, settings);
    const found = youtube.warn?.(content) ?? [];
    if (typeof paths === "number") expect(found).toHaveLength(paths);
    else expect(found.map(({ path, code }) => [path, code])).toEqual(paths.map((path) => [path, "brackets_replaced"]));
    expect(refusalOf(caption, settings)).toBeNull();
    expect(JSON.stringify(resourceOf(caption, settings).snippet)).not.toMatch(/[<>]/);
  });

  test("labels for AI and the time of publication are part of the status", () => {
    const settings = { privacy: "private", containsSyntheticMedia: true, publishAt: "2027-01-01T12:00:00+02:00" };
    expect(resourceOf("c", settings).status).toEqual({
      privacyStatus: "private",
      selfDeclaredMadeForKids: false,
      containsSyntheticMedia: true,
      publishAt: "2027-01-01T10:00:00.000Z",
    });
    expect(refusalOf("c", { ...settings, privacy: "unlisted" })).toMatchObject({ code: "invalidPublishAt" });
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
