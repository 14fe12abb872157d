// Converts a post to the video resource of YouTube's insert request.

import { measureCaption } from "../caption.ts";
import { segmentGraphemes } from "../graphemes.ts";
import { isObject, pickList, pickString } from "../http.ts";
import { type Content, contentFailure, type MediaFile, type Violation, type Warning } from "../platform.ts";
import { assertWithinLimits } from "../violations.ts";
import { capabilities, YOUTUBE } from "./rules.ts";

export function requireVideo({ media }: Content): MediaFile {
  if (media?.type === "video") return media.video;
  throw contentFailure("media_missing", "YouTube supports videos only. Add a video and create the post again.");
}

/** Finds violations beyond the capabilities. */
export function findViolations(content: Content): Violation[] {
  return [
    ...findTitleViolations(content),
    ...findDescriptionViolations(content),
    ...findTagViolations(content),
    ...findScheduleViolations(content),
    ...findCommentViolations(content),
  ];
}

function findScheduleViolations(content: Content): Violation[] {
  const actual = getPrivacy(content);
  if (getSetting(content, "publishAt") === null || actual === "private") return [];
  const message = "YouTube publishes a video at publishAt only if it is private until then. Send privacy: private.";
  return [{ path: "settings.youtube.publishAt", code: "invalidPublishAt", message, actual }];
}

/** https://support.google.com/youtube/answer/14323217 and /157177, read 2026-11-28: nobody comments on these videos. */
function findCommentViolations(content: Content): Violation[] {
  const what = isMadeForKids(content) ? "made for kids" : getPrivacy(content) === "private" ? "private" : null;
  if (!content.firstComment || !what) return [];
  const message = `YouTube has no comments below videos that are ${what}. Remove first_comment.`;
  return [{ path: "first_comment", code: "first_comment_unsupported", message, actual: what }];
}

export function getPrivacy(content: Content): string {
  return getSetting(content, "privacy") ?? getSetting(content, "type") ?? "public";
}

/** Throws the first violation that YouTube would reject. */
export function assertPublishable(content: Content): void {
  assertWithinLimits(content, capabilities, "YouTube", findViolations(content));
}

function findTitleViolations(content: Content): Violation[] {
  const [path, code] = ["settings.youtube.title", "invalidTitle"] as const;
  const title = getTitle(content);
  if (title === "") {
    const message = "YouTube needs a title. Start the caption with a title line, or send settings.youtube.title.";
    return [{ path, code, message, actual: 0 }];
  }
  const [limit, actual] = [YOUTUBE.title, title.length];
  const message = `The title has ${actual} characters, but YouTube allows at most ${limit}. Shorten it.`;
  return actual > limit ? [{ path, code, message, limit, actual }] : [];
}

/** A description from the caption is checked by the caption limit, which is the same. */
function findDescriptionViolations(content: Content): Violation[] {
  const own = getSetting(content, "description");
  if (own === null) return [];
  const [path, code] = ["settings.youtube.description", "invalidDescription"] as const;
  const [limit, actual] = [YOUTUBE.descriptionBytes, measureCaption(fitDescription(own), "utf8_bytes")];
  const message = `The description has ${actual} bytes, but YouTube allows at most ${limit}. Shorten it.`;
  return actual > limit ? [{ path, code, message, limit, actual }] : [];
}

function findTagViolations(content: Content): Violation[] {
  const tags = getTags(content);
  const [path, code, limit] = ["settings.youtube.tags", "invalidTags", YOUTUBE.tags] as const;
  const actual = tags.reduce((sum, tag) => sum + tag.length + (/\s/.test(tag) ? 2 : 0), Math.max(tags.length - 1, 0));
  if (actual <= limit) return [];
  const message = `The tags have ${actual} characters together, but YouTube allows at most ${limit}. Use fewer.`;
  return [{ path, code, message, limit, actual }];
}

export function findWarnings(content: Content): Warning[] {
  return [...findReplacedBrackets(content), ...findShortenedTitle(content)];
}

/** YouTube rejects angle brackets in every text, so similar signs take their place. */
function findReplacedBrackets(content: Content): Warning[] {
  const texts: [path: string, text: string | null][] = [
    ["caption", isCaptionUsed(content) ? content.caption : null],
    ["settings.youtube.title", getSetting(content, "title")],
    ["settings.youtube.description", getSetting(content, "description")],
    ...readTags(content).map((tag, at): [string, string] => [`settings.youtube.tags.${at}.label`, tag]),
  ];
  const message = "YouTube does not allow < and >. They are published as ‹ and ›, or left out where there is no room.";
  return texts.flatMap(([path, text]) => {
    const actual = /[<>]/.exec(text ?? "")?.[0];
    return actual ? [{ path, code: "brackets_replaced" as const, message, actual }] : [];
  });
}

/** A title in the settings that is too long is rejected; one from the caption is shortened. */
function findShortenedTitle(content: Content): Warning[] {
  if (getSetting(content, "title") !== null) return [];
  const [limit, actual] = [YOUTUBE.title, getTitleLine(content).length];
  if (actual <= limit) return [];
  const message = `The first line of the caption is the title at YouTube, and has ${actual} characters. The title is its first ${limit}; send settings.youtube.title for another one.`;
  return [{ path: "caption", code: "title_shortened", message, limit, actual }];
}

function isCaptionUsed(content: Content): boolean {
  return getSetting(content, "title") === null || getSetting(content, "description") === null;
}

export function buildVideoResource(content: Content) {
  const tags = getTags(content);
  const publishAt = getSetting(content, "publishAt");
  const license = getSetting(content, "license");
  return {
    snippet: {
      title: getTitle(content),
      description: fitDescription(getSetting(content, "description") ?? content.caption),
      categoryId: getSetting(content, "categoryId") ?? YOUTUBE.categoryId,
      ...(tags.length > 0 ? { tags } : {}),
    },
    status: {
      privacyStatus: getPrivacy(content),
      selfDeclaredMadeForKids: isMadeForKids(content),
      ...(content.settings.containsSyntheticMedia === true ? { containsSyntheticMedia: true } : {}),
      ...(license === null ? {} : { license }),
      ...(content.settings.embeddable === false ? { embeddable: false } : {}),
      ...(publishAt === null ? {} : { publishAt: new Date(publishAt).toISOString() }),
    },
  };
}

export function getThumbnailUrl({ settings, cover }: Content): string | null {
  return cover?.image?.url ?? pickString(settings, "thumbnail", "path");
}

function getSetting({ settings }: Content, name: string): string | null {
  return pickString(settings, name);
}

function isMadeForKids(content: Content): boolean {
  const setting = getSetting(content, "selfDeclaredMadeForKids");
  return setting === null ? content.settings.madeForKids === true : setting === "yes";
}

/** Returns an empty string when neither the settings nor the caption contain a title. */
function getTitle(content: Content): string {
  const own = getSetting(content, "title");
  if (own !== null) return replaceBrackets(own.trim());
  return truncate(replaceBrackets(getTitleLine(content)), YOUTUBE.title);
}

function getTitleLine({ caption }: Content): string {
  const line = caption.split(/\r\n|\r|\n/).find((one) => /\S/.test(one)) ?? "";
  return line.trim();
}

/** A comma separates tags at YouTube, so a label with commas is several. */
function getTags(content: Content): string[] {
  const tags = readTags(content).flatMap((label) => label.split(","));
  return tags.map((tag) => replaceBrackets(tag.trim())).filter(Boolean);
}

function readTags({ settings }: Content): string[] {
  return pickList(settings, "tags")
    .filter(isObject)
    .flatMap((tag) => pickString(tag, "label") ?? []);
}

export function replaceBrackets(text: string): string {
  return text.replaceAll("<", "‹").replaceAll(">", "›");
}

/** The replacements are longer in bytes; if the text does not fit, the brackets are removed instead. */
export function fitDescription(text: string): string {
  const replaced = replaceBrackets(text);
  const fits = measureCaption(replaced, "utf8_bytes") <= YOUTUBE.descriptionBytes;
  return fits ? replaced : text.replace(/[<>]/g, "");
}

/** Truncates at a grapheme boundary. */
function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (const { index, segment } of segmentGraphemes(text)) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end).trimEnd();
}
