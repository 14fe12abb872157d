// The own timeline with public metrics.
import type { PathParams } from "../endpoints.ts";
import type { NetworkResponse } from "../network.ts";
import { hashToDigits } from "../post-history.ts";
import { problemResponse, rateLimitError } from "../twitter-protocol.ts";
import type { AnalyticsCalls, AnalyticsRequest } from "./calls.ts";

export const twitter: AnalyticsCalls = {
  endpoints: {
    "users/tweets.metrics": {
      route: "GET /2/users/:id/tweets",
      takes: ({ query }) => /public_metrics/.test(query.get("post.fields") ?? query.get("tweet.fields") ?? ""),
      answer: listTimeline,
    },
  },
  sameToken: "users/tweets",
  format: {
    buildId: (seed) => `19${hashToDigits(seed, 17)}`,
    buildUrl: (id) => `https://x.com/i/web/status/${id}`,
    kinds: ["video", "image", "carousel"],
  },

  rateLimited: (now) => rateLimitError(now, 100),
};

function listTimeline(
  { account, facts, posts, request, toCount }: AnalyticsRequest,
  { id: owner }: PathParams,
): NetworkResponse {
  const limit = Number(request.query.get("max_results") ?? 10);
  if (!(limit >= 5 && limit <= 100)) return problemResponse(400, "invalid-request", "max_results is not valid.");
  if (owner !== account.externalId) return problemResponse(403, "not-authorized-for-resource", "Not yours.");
  const start = Number(request.query.get("pagination_token") ?? 0);
  const page = posts.slice(start, start + limit);
  // An API that knows the other name of the parameter only.
  const isPlain = account.facts?.plainTimeline === true && request.query.has("post.fields");
  const data = page.map(({ id, kind, at, caption, metrics }) => ({
    ...{ id, text: caption, edit_history_tweet_ids: [id] },
    ...(isPlain ? {} : { created_at: at.toISOString() }),
    ...(isPlain || facts.sparse ? {} : { attachments: { media_keys: toMediaKeys(id, kind) } }),
    ...(isPlain
      ? {}
      : {
          public_metrics: {
            impression_count: toCount(metrics.views),
            like_count: toCount(metrics.likes),
            reply_count: toCount(metrics.comments),
            repost_count: toCount(metrics.shares),
            quote_count: 0,
            bookmark_count: toCount(metrics.saves),
          },
        }),
  }));
  const next = start + limit < posts.length ? { next_token: String(start + limit) } : {};
  const meta = { result_count: data.length, ...next };
  return { status: 200, body: { ...(data.length > 0 ? { data } : {}), meta } };
}

function toMediaKeys(id: string, kind: "video" | "image" | "carousel"): string[] {
  if (kind === "video") return [`7_${id}`];
  return kind === "image" ? [`3_${id}`] : [`3_${id}1`, `3_${id}2`];
}
