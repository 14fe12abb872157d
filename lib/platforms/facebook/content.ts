// Turns a post into the words, the link and the kind of a page's post.
import { captionLength } from "../caption.ts";
import { pickString } from "../http.ts";
import type { Content, Violation } from "../platform.ts";
import { holdTo } from "../violations.ts";
import { capabilities } from "./rules.ts";

export interface Words {
  message: string;
  /** Shown as a preview below the words; only posts without media have one. */
  link: string | undefined;
}

export function wordsOf({ caption, media, settings }: Content): Words {
  const url = pickString(settings, "url") ?? undefined;
  // Beside photos or a video Facebook shows no preview, so there the link is the end of the text.
  const inText = url !== undefined && media !== null && !caption.includes(url);
  return { message: inText ? `${caption}\n\n${url}` : caption, link: media === null ? url : undefined };
}

/** What Facebook refuses beyond its capabilities: a caption that only the link at its end makes too long. */
export function violationsOf(content: Content): Violation[] {
  const { limit, unit } = capabilities.caption;
  const actual = captionLength(wordsOf(content).message, unit);
  if (actual <= limit || captionLength(content.caption, unit) > limit) return [];
  const message = `Caption and link have ${actual} characters together, Facebook takes ${limit}. Shorten the caption.`;
  return [{ path: "settings.facebook.url", code: "caption_too_long", message, limit, actual }];
}

/** Throws what Facebook would refuse. */
export function checkPost(content: Content): void {
  holdTo(content, capabilities, "Facebook", violationsOf(content));
}

/** Facebook trims and folds white space, so words are compared without it. */
export function sameWords(a: string, b: string): boolean {
  const plain = (text: string) => text.normalize("NFC").replace(/\s+/gu, " ").trim();
  return plain(a) === plain(b);
}
