// A first comment that is a reply to the post obeys the rules of a post of its network.
import { expect, test } from "vitest";
import { getCapabilities } from "../../lib/platforms/capabilities.ts";
import { drivers } from "../../lib/platforms/index.ts";
import { findPostViolations, findPostWarnings } from "../../lib/platforms/post-violations.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { text } from "./content.ts";

const links = (count: number) => Array.from({ length: count }, (_, at) => `https://a.example/${at}`).join(" ");

/** The codes of errors, and of warnings, with what is at fault in front. */
function check(platform: Platform, firstComment: string): { errors: string[]; warnings: string[]; messages: string[] } {
  const capabilities = getCapabilities(platform, "byo");
  const content = { ...text("A post"), firstComment };
  const errors = findPostViolations(drivers[platform], content, capabilities, platform);
  const warnings = findPostWarnings(drivers[platform], content, capabilities, platform);
  const name = ({ path, code }: { path: string; code: string }) => `${path} ${code}`;
  return {
    errors: errors.map(name),
    warnings: warnings.map(name),
    messages: [...errors, ...warnings].map(({ message }) => message),
  };
}

test.each<[Platform, string, string[], string[]]>([
  ["bluesky", `${"a".repeat(259)} https://a.example/${"b".repeat(102)}`, [], ["links_shortened"]],
  ["bluesky", "a".repeat(301), ["first_comment_too_long"], []],
  ["bluesky", "👨‍👩‍👧‍👦".repeat(200), ["first_comment_too_long"], []],
  ["threads", links(6), ["too_many_links"], ["many_links"]],
  ["threads", "é".repeat(300), [], ["caption_may_be_too_long"]],
  ["threads", "a".repeat(501), ["first_comment_too_long"], ["caption_may_be_too_long"]],
  ["twitter", " \u200b\n", ["text_blank"], []],
  ["bluesky", "\u2060", ["text_blank"], []],
  ["twitter", "a".repeat(281), ["first_comment_too_long"], []],
  ["twitter", `${"a".repeat(256)} https://a.com/${"b".repeat(200)}`, [], []],
])("%s, the comment %j: errors %j, warnings %j", (platform, comment, errors, warnings) => {
  const found = check(platform, comment);
  const atComment = (codes: string[]) => codes.map((code) => `first_comment ${code}`);
  expect([found.errors.filter((error) => error.startsWith("first_comment")), found.warnings]).toEqual([
    atComment(errors),
    atComment(warnings),
  ]);
  for (const message of found.messages) expect(message).not.toContain("The caption");
});

test.each<Platform>(["instagram", "facebook", "linkedin", "youtube"])(
  "%s, a comment without visible text",
  (platform) => {
    const { capabilities } = drivers[platform];
    const check = (comment: string) => {
      const found = findPostViolations(
        drivers[platform],
        { ...text("A post"), firstComment: comment },
        capabilities,
        "X",
      );
      return found.filter(({ path }) => path === "first_comment").map(({ code }) => code);
    };
    expect([check(" \u200b\n"), check("·")]).toEqual([["text_blank"], []]);
  },
);
