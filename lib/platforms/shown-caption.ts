// The caption as a network shows it, and its length: for the check of a post, for the driver, and for the composer's counter.
import type { WarningCode } from "../shared/field-codes.ts";
import { type CaptionLength, measureCaption, measureWithinLimit } from "./caption.ts";
import { findLinks, type Link, shortenLinks } from "./links.ts";
import type { Content, Violation } from "./platform.ts";
import type { Capabilities } from "./rules.ts";

type CaptionRule = Capabilities["caption"];

/** Links are shortened only where the text is too long with them. */
export function fitCaption(caption: string, rule: CaptionRule): { text: string; links: Link[] } {
  return rule.shortensLinks && !fits(caption, rule)
    ? shortenLinks(caption)
    : { text: caption, links: rule.shortensLinks ? findLinks(caption) : [] };
}

function fits(text: string, { limit, unit, maxBytes = Number.POSITIVE_INFINITY }: CaptionRule): boolean {
  return measureWithinLimit(text, unit, limit).length <= limit && measureCaption(text, "utf8_bytes") <= maxBytes;
}

export function measureShownCaption(caption: string, rule: CaptionRule): CaptionLength {
  return measureWithinLimit(fitCaption(caption, rule).text, rule.unit, rule.limit);
}

/** Networks whose API makes no preview of a link by itself: the text has the link only. */
export function findLinkWithoutCard(
  { caption, media }: Content,
  network: string,
): (Violation & { code: WarningCode })[] {
  if (media || findLinks(caption).length === 0) return [];
  const message = `${network} shows no preview card for the link of a post made by an API: the link stands in the text only. Add an image if the post needs one.`;
  return [{ path: "caption", code: "link_without_card", message }];
}
