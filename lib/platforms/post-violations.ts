// Checks all that an account publishes against the limits of its network: the post, its thread, its first comment, its card.
import { getLinkCard } from "../shared/post-content.ts";
import { measureWithinLimit } from "./caption.ts";
import { describePermission } from "./comments.ts";
import type { Content, Driver, Violation, Warning } from "./platform.ts";
import type { Capabilities } from "./rules.ts";
import { findContentViolations, findLimitWarnings, isBlank } from "./violations.ts";

type Rules = Pick<Driver, "limits" | "validate" | "warn"> | undefined;

/** Finds what the network would reject; `who` names the account in messages. */
export function findPostViolations(
  driver: Rules,
  content: Content,
  capabilities: Capabilities,
  who: string,
): Violation[] {
  return [
    ...findContentViolations(driver, content, capabilities, who),
    ...findAltTextViolations(content, capabilities, who),
    ...findLinkViolations(content),
    ...findThreadViolations(driver, content, capabilities, who),
    ...findCommentViolations(driver, content, capabilities, who),
  ];
}

/** Finds what the network will not show, or change, although the post is accepted. */
export function findPostWarnings(driver: Rules, content: Content, capabilities: Capabilities, who: string): Warning[] {
  const warn = (part: Content) => [
    ...findLimitWarnings(part, capabilities, who),
    ...((driver?.warn?.(part) ?? []) as Warning[]),
  ];
  return [
    ...warn(content),
    ...listParts(content).flatMap((part, at) => warn(part).flatMap((found) => toPartViolation(found, at))),
    ...listReplies(content, capabilities).flatMap((reply) => warn(reply).flatMap(toCommentViolation)),
    ...findIgnored(content, capabilities, who),
  ];
}

/** The parts of a thread as contents of their own. */
function listParts(content: Content): Content[] {
  return (content.thread ?? []).map((part) => ({
    ...{ ...content, ...part },
    ...{ cover: null, link: null, thread: null, firstComment: null },
  }));
}

/** The settings are those of the post, and checked with it. */
function toPartViolation<Found extends Violation>(found: Found, at: number): Found[] {
  return /^(caption|media)\b/.test(found.path) ? [{ ...found, path: `thread.${at}.${found.path}` }] : [];
}

/** The first comment as content of its own, where it is published as a reply. */
function listReplies(content: Content, { firstComment: rule }: Capabilities): Content[] {
  if (!rule?.isReply || !content.firstComment) return [];
  const alone = { media: null, cover: null, link: null, thread: null, firstComment: null };
  return [{ ...content, ...alone, caption: content.firstComment }];
}

function toCommentViolation<Found extends Violation>(found: Found): Found[] {
  if (found.path !== "caption") return [];
  const code = found.code === "caption_too_long" ? "first_comment_too_long" : found.code;
  return [
    { ...found, path: "first_comment", code, message: found.message.replace("The caption", "The first comment") },
  ];
}

function findThreadViolations(driver: Rules, content: Content, capabilities: Capabilities, who: string): Violation[] {
  if (!content.thread) return [];
  if (!capabilities.thread) {
    const message = `Threads cannot be published to ${who}. Remove thread, or the account.`;
    return [{ path: "thread", code: "thread_unsupported", message }];
  }
  return listParts(content).flatMap((part, at) =>
    [
      ...findContentViolations(driver, part, capabilities, who),
      ...findAltTextViolations(part, capabilities, who),
    ].flatMap((found) => toPartViolation(found, at)),
  );
}

function findCommentViolations(driver: Rules, content: Content, capabilities: Capabilities, who: string): Violation[] {
  const path = "first_comment";
  const { firstComment } = content;
  const { firstComment: rule, missingForComment } = capabilities;
  if (!firstComment) return [];
  if (missingForComment) {
    const message = `A first comment needs the permission ${describePermission(missingForComment)}, which ${who} is not known to have granted. Connect the account again and allow it, or remove first_comment; an account can have null of its own. Posts without one keep working.`;
    return [{ path, code: "permission_missing", message }];
  }
  if (!rule) {
    const message = `A first comment cannot be published to ${who}. Remove first_comment; an account can have null of its own.`;
    return [{ path, code: "first_comment_unsupported", message }];
  }
  if (rule.isReply) {
    const replies = listReplies(content, capabilities);
    return replies.flatMap((reply) =>
      findContentViolations(driver, reply, capabilities, who).flatMap(toCommentViolation),
    );
  }
  if (isBlank(firstComment)) {
    const message = `The first comment is blank, but ${who} needs text. Write one, or send null for none.`;
    return [{ path, code: "text_blank", message }];
  }
  const { limit, unit } = rule;
  const { length: actual } = measureWithinLimit(firstComment, unit, limit);
  if (actual <= limit) return [];
  const message = `The first comment has ${actual} characters, but ${who} allows at most ${limit}. Shorten it.`;
  return [{ path, code: "first_comment_too_long", message, limit, actual, unit }];
}

function findLinkViolations({ link, media }: Content): Violation[] {
  if (!media || !getLinkCard(link ?? null)) return [];
  const message = "A link is shown as a card only without media. Remove link or media.";
  return [{ path: "link", code: "link_with_media", message }];
}

/** The alternative texts of media, each with its path in a request. */
function listAltTexts({ media }: Pick<Content, "media">): { path: string; text: string }[] {
  const list = (path: string, text: string | null | undefined) => (text ? [{ path, text }] : []);
  if (!media) return [];
  if (media.type === "video") return list("media.alt_text", media.video.altText);
  if (media.type === "slideshow") {
    return media.images.flatMap(({ altText }, at) => list(`media.alt_texts.${at}`, altText));
  }
  return media.items.flatMap(({ altText }, at) => list(`media.items.${at}.alt_text`, altText));
}

function findAltTextViolations(content: Content, { altText: rule }: Capabilities, who: string): Violation[] {
  if (!rule) return [];
  const { limit } = rule;
  return listAltTexts(content).flatMap(({ path, text }): Violation[] => {
    const actual = text.length;
    if (actual <= limit) return [];
    const message = `The alternative text has ${actual} characters, but ${who} allows at most ${limit}. Shorten it.`;
    return [{ path, code: "alt_text_too_long", message, limit, actual }];
  });
}

/** A network that makes cards by itself reads all of it from the page. */
function listIgnoredLink({ link, media }: Content, { linkCard }: Capabilities): string[] {
  const card = media ? null : getLinkCard(link ?? null);
  if (!card || linkCard === "from_tags") return [];
  if (!linkCard) return ["the card of the link"];
  const { title, description, image_url } = card;
  const hasOwn = [title, description, image_url].some((field) => field !== undefined);
  return hasOwn ? ["a title, a description or a picture of the card, which it reads from the page itself"] : [];
}

/** Alternative texts, covers and cards that the network does not take: the post is published without them. */
function findIgnored(content: Content, capabilities: Capabilities, who: string): Warning[] {
  const contents = [
    { content, prefix: "" },
    ...listParts(content).map((part, at) => ({ content: part, prefix: `thread.${at}.` })),
  ];
  const texts = capabilities.altText
    ? []
    : contents.flatMap(({ content: one, prefix }) => {
        const [first] = listAltTexts(one);
        return first
          ? [{ path: `${prefix}${first.path}`, code: "alt_text_ignored" as const, what: "the alternative text" }]
          : [];
      });
  const { cover } = content;
  const able = capabilities.cover ?? {};
  const covers = [
    ...(cover?.image && !able.url ? ["media.cover_url"] : []),
    ...(cover?.timestampMs !== undefined && !able.timestamp ? ["media.cover_timestamp_ms"] : []),
    ...(cover?.index !== undefined && !able.index ? ["media.cover_index"] : []),
  ].map((path) => ({ path, code: "cover_ignored" as const, what: "the cover" }));
  const { maxBytes } = able;
  if (able.url && maxBytes !== undefined && (cover?.image?.bytes ?? 0) > maxBytes) {
    covers.push({ path: "media.cover_url", code: "cover_ignored", what: `a cover of more than ${maxBytes} bytes` });
  }
  const links = listIgnoredLink(content, capabilities).map((what) => ({
    path: "link",
    code: "link_ignored" as const,
    what,
  }));
  return [...texts, ...covers, ...links].map(({ path, code, what }) => ({
    ...{ path, code },
    message: `${who.charAt(0).toUpperCase()}${who.slice(1)} does not take ${what}. The post is published without it.`,
  }));
}
