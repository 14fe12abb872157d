// The caption as a network shows it, and its length: for the check of a post, for the driver, and for the composer's counter.
import { type CaptionLength, measureCaption, measureWithinLimit } from "./caption.ts";
import { findLinks, type Link, shortenLinks } from "./links.ts";
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
