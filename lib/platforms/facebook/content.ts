// Converts a post to the text and link of a Facebook page post.
import type { WarningCode } from "../../shared/field-codes.ts";
import { getLinkCard } from "../../shared/post-content.ts";
import { measureCaption } from "../caption.ts";
import { pickString } from "../http.ts";
import type { Content, Violation } from "../platform.ts";
import { assertWithinLimits } from "../violations.ts";
import { capabilities } from "./rules.ts";

export interface PostText {
  message: string;
  /** Shown as a link preview; only posts without media have one. */
  link: string | undefined;
}

/** `link` of a post: https://developers.facebook.com/docs/graph-api/reference/page/feed/, read 2026-11-28. */
export function buildText({ caption, media, settings, link }: Content): PostText {
  const url = getLinkCard(link ?? null)?.url ?? pickString(settings, "url") ?? undefined;
  // Facebook shows no link preview next to media, so the link is appended to the text.
  const inText = url !== undefined && media !== null && !caption.includes(url);
  return { message: inText ? `${caption}\n\n${url}` : caption, link: media === null ? url : undefined };
}

/** Finds violations beyond the capabilities: a caption that is too long only with the appended link. */
export function findViolations(content: Content): Violation[] {
  const { limit, unit } = capabilities.caption;
  const actual = measureCaption(buildText(content).message, unit);
  if (actual <= limit || measureCaption(content.caption, unit) > limit) return [];
  const message = `Caption and link have ${actual} characters together, but Facebook allows at most ${limit}. Shorten the caption.`;
  return [{ path: "settings.facebook.url", code: "caption_too_long", message, limit, actual }];
}

/** Photos have alternative texts, videos have none. */
export function findWarnings({ media }: Content): (Violation & { code: WarningCode })[] {
  if (media?.type !== "video" || !media.video.altText) return [];
  const message = "Facebook takes alternative texts of photos only. The video is published without it.";
  return [{ path: "media.alt_text", code: "alt_text_ignored", message }];
}

/** Throws the first violation that Facebook would reject. */
export function assertPublishable(content: Content): void {
  assertWithinLimits(content, capabilities, "Facebook", findViolations(content));
}

/** Compares normalized texts, because Facebook trims and collapses white space. */
export function isSameText(a: string, b: string): boolean {
  const plain = (text: string) => text.normalize("NFC").replace(/\s+/gu, " ").trim();
  return plain(a) === plain(b);
}
