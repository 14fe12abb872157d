// Turns a post into the video resource that YouTube's insert call takes.

import { captionLength } from "../caption.ts";
import { graphemesOf } from "../graphemes.ts";
import { isObject, pickList, pickString } from "../http.ts";
import { type Content, failure, type MediaFile, type Violation } from "../platform.ts";
import { holdTo } from "../violations.ts";
import { capabilities, YOUTUBE } from "./rules.ts";

export function needVideo({ media }: Content): MediaFile {
  if (media?.type === "video") return media.video;
  throw refused("media_missing", "YouTube takes videos only. Add a video and post again.");
}

/** What YouTube refuses beyond its capabilities. */
export function violationsOf(content: Content): Violation[] {
  return [...titleViolations(content), ...descriptionViolations(content), ...tagViolations(content)];
}

/** Throws what YouTube would refuse. */
export function checkWords(content: Content): void {
  holdTo(content, capabilities, "YouTube", violationsOf(content));
}

function titleViolations(content: Content): Violation[] {
  const [path, code] = ["settings.youtube.title", "invalidTitle"];
  const title = titleOf(content);
  if (title === "") {
    const message = "YouTube needs a title. Begin the caption with one, or give settings.youtube.title.";
    return [{ path, code, message, actual: 0 }];
  }
  const [limit, actual] = [YOUTUBE.title, title.length];
  const message = `The title has ${actual} characters, YouTube takes at most ${limit}. Shorten it.`;
  return [...bracketViolations(title, path, code), ...(actual > limit ? [{ path, code, message, limit, actual }] : [])];
}

/** One that comes from the caption is held to the caption's limit, which is the same. */
function descriptionViolations(content: Content): Violation[] {
  const own = setting(content, "description");
  if (own === null) return [];
  const [path, code] = ["settings.youtube.description", "invalidDescription"];
  const [limit, actual] = [YOUTUBE.descriptionBytes, captionLength(own, "utf8_bytes")];
  const message = `The description has ${actual} bytes, YouTube takes at most ${limit}. Shorten it.`;
  return [...bracketViolations(own, path, code), ...(actual > limit ? [{ path, code, message, limit, actual }] : [])];
}

function tagViolations(content: Content): Violation[] {
  const tags = labelsOf(content);
  const [path, code, limit] = ["settings.youtube.tags", "invalidTags", YOUTUBE.tags];
  const brackets = tags.flatMap((tag, at) => bracketViolations(tag, `${path}.${at}.label`, code));
  const actual = tags.reduce((sum, tag) => sum + tag.length + (/\s/.test(tag) ? 2 : 0), Math.max(tags.length - 1, 0));
  if (actual <= limit) return brackets;
  const message = `The tags have ${actual} characters together, YouTube takes at most ${limit}. Use fewer.`;
  return [...brackets, { path, code, message, limit, actual }];
}

/** Words that were written for YouTube go out as they are or not at all. */
function bracketViolations(text: string, path: string, code: string): Violation[] {
  const found = /[<>]/.exec(text)?.[0];
  const message = "YouTube takes no < and > in words that were written for it. Take them out.";
  return found ? [{ path, code, message, actual: found }] : [];
}

export function videoResource(content: Content) {
  const tags = labelsOf(content);
  return {
    snippet: {
      title: titleOf(content),
      description: setting(content, "description") ?? fitting(content.caption),
      categoryId: setting(content, "categoryId") ?? YOUTUBE.categoryId,
      ...(tags.length > 0 ? { tags } : {}),
    },
    status: {
      privacyStatus: setting(content, "privacy") ?? setting(content, "type") ?? "public",
      selfDeclaredMadeForKids: isMadeForKids(content),
    },
  };
}

export function thumbnailOf({ settings }: Content): string | null {
  return pickString(settings, "thumbnail", "path");
}

function setting({ settings }: Content, name: string): string | null {
  return pickString(settings, name);
}

function isMadeForKids(content: Content): boolean {
  const said = setting(content, "selfDeclaredMadeForKids");
  return said === null ? content.settings.madeForKids === true : said === "yes";
}

/** Empty when neither the settings nor the caption give one. */
function titleOf(content: Content): string {
  const own = setting(content, "title");
  if (own !== null) return own.trim();
  const line = content.caption.split(/\r\n|\r|\n/).find((one) => /\S/.test(one)) ?? "";
  return cut(tame(line.trim()), YOUTUBE.title);
}

function labelsOf({ settings }: Content): string[] {
  return pickList(settings, "tags")
    .filter(isObject)
    .flatMap((tag) => pickString(tag, "label") ?? []);
}

/** The caption speaks to many networks, so its angle brackets, which YouTube refuses, become look-alikes. */
function tame(text: string): string {
  return text.replaceAll("<", "‹").replaceAll(">", "›");
}

/** Look-alikes are longer in bytes; where they do not fit the brackets are left out. */
function fitting(text: string): string {
  const tamed = tame(text);
  const fits = captionLength(tamed, "utf8_bytes") <= YOUTUBE.descriptionBytes;
  return fits ? tamed : text.replace(/[<>]/g, "");
}

/** Cuts between what a reader sees as characters. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (const { index, segment } of graphemesOf(text)) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end).trimEnd();
}

export function refused(code: string, message: string) {
  return failure({ class: "content", code, message });
}
