// The account's own pins with their metrics.
import type { NetworkResponse } from "../network.ts";
import { hashToDigits } from "../post-history.ts";
import type { AnalyticsCalls, AnalyticsRequest } from "./calls.ts";

const MEDIA_TYPES = { video: "video", image: "image", carousel: "multiple_images" } as const;

export const pinterest: AnalyticsCalls = {
  endpoints: { "pins/list": { route: "GET /v5/pins", answer: listPins } },
  sameToken: "boards/pins",
  format: {
    buildId: (seed) => `81${hashToDigits(seed, 16)}`,
    buildUrl: (id) => `https://www.pinterest.com/pin/${id}/`,
    kinds: ["video", "image", "carousel"],
  },

  rateLimited: () => ({ status: 429, body: { code: 8, message: "You have exceeded your rate limit." } }),
};

function listPins({ facts, posts, request, toCount }: AnalyticsRequest): NetworkResponse {
  const size = Number(request.query.get("page_size") ?? 25);
  if (!(size >= 1 && size <= 250))
    return { status: 400, body: { code: 1, message: "page_size must be between 1 and 250" } };
  const start = Number(request.query.get("bookmark") ?? 0);
  const page = posts.slice(start, start + size);
  const items = page.map(({ id, kind, at, caption, metrics }) => {
    const counts = { pin_click: 7, impression: toCount(metrics.views), clickthrough: 3 };
    const lifetime = { ...counts, reaction: toCount(metrics.likes), comment: toCount(metrics.comments) };
    return {
      id,
      board_id: "42",
      title: caption.slice(0, 100),
      description: caption,
      created_at: at.toISOString().replace(/\.\d{3}Z$/, ""),
      is_owner: true,
      media: { media_type: MEDIA_TYPES[kind], images: { "600x": { url: `https://i.pinimg.com/600x/${id}.jpg` } } },
      // Null where the pin is too old for them.
      pin_metrics: facts.sparse ? null : { "90d": counts, lifetime_metrics: lifetime },
    };
  });
  return { status: 200, body: { items, bookmark: start + size < posts.length ? String(start + size) : null } };
}
