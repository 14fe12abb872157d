// Pinterest's API v5: the account's own pins with the metrics of their lifetime, by the permissions that publishing needs.
// https://github.com/pinterest/api-description/blob/main/v5/openapi.json 5.23.0, `pin_metrics`, read 2026-11-28: for pins
// from before 2023-03-20 only of videos. It reports neither shares nor saves of a lifetime.
import { isObject, pick, pickList, pickString } from "../../platforms/http.ts";
import { request } from "../../platforms/pinterest/api.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import { parseCount, parseInstant, type Reader, sanitizeLink, sanitizeText } from "./reader-contract.ts";

const PAGE_SIZE = "100";

export const pinterest: Reader = {
  visibility: "own",

  async read(job, cursor) {
    const { body } = await request(job, "GET", "pins", {
      query: { page_size: PAGE_SIZE, pin_metrics: "true", ...(cursor === null ? {} : { bookmark: cursor }) },
    });
    const next = pickString(body, "bookmark");
    return {
      posts: pickList(body, "items").filter(isObject).flatMap(toPosts),
      cursor: next === cursor ? null : next,
    };
  },
};

const KINDS: Readonly<Record<string, FetchedPost["kind"]>> = { video: "video", multiple_images: "carousel" };

function toPosts(pin: Record<string, unknown>): FetchedPost[] {
  const id = pickString(pin, "id");
  const publishedAt = parsePinInstant(pin.created_at);
  // A pin that was saved from somebody else's is not the account's own.
  if (!id || !publishedAt || pin.is_owner === false) return [];
  const metrics = pick(pin, "pin_metrics", "lifetime_metrics");
  return [
    {
      platformPostId: id,
      kind: KINDS[pickString(pin, "media", "media_type") ?? ""] ?? "image",
      publishedAt,
      caption: sanitizeText(pin.description ?? pin.title),
      permalink: `https://www.pinterest.com/pin/${id}/`,
      thumbnailUrl: sanitizeLink(pick(pin, "media", "images", "600x", "url")),
      durationSeconds: null,
      views: parseCount(pick(metrics, "impression")),
      likes: parseCount(pick(metrics, "reaction")),
      comments: parseCount(pick(metrics, "comment")),
      shares: null,
      saves: null,
    },
  ];
}

/** Without an offset: UTC. */
function parsePinInstant(value: unknown): Date | null {
  const text = sanitizeText(value);
  return parseInstant(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
}
