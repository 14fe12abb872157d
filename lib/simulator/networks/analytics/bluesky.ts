// The feed of an author with its public counts, as the App View answers it through the account's server.
import { COLLECTION, createCid, rateLimitError } from "../bluesky-protocol.ts";
import type { NetworkResponse } from "../network.ts";
import { hashToDigits } from "../post-history.ts";
import type { AnalyticsCalls, AnalyticsRequest } from "./calls.ts";

const DIGITS = "234567abcdefghij";

export const bluesky: AnalyticsCalls = {
  endpoints: { getAuthorFeed: { route: "GET /xrpc/app.bsky.feed.getAuthorFeed", answer: getAuthorFeed } },
  sameToken: "getSession",
  format: {
    // Keys of records are 13 letters and digits of their own alphabet.
    buildId: (seed) => `3${[...hashToDigits(seed, 12)].map((digit) => DIGITS[Number(digit)]).join("")}`,
    buildUrl: (id, { externalId }) => `https://bsky.app/profile/${externalId}/post/${id}`,
    kinds: ["video", "image", "carousel"],
  },

  rateLimited: (now) => rateLimitError(now, 3_000),
};

function getAuthorFeed(context: AnalyticsRequest): NetworkResponse {
  const { posts, request } = context;
  const limit = Number(request.query.get("limit") ?? 50);
  const start = Number(request.query.get("cursor") ?? 0);
  const feed = posts.slice(start, start + limit).map((post) => ({ post: toPostView(post, context) }));
  const cursor = start + limit < posts.length ? { cursor: String(start + limit) } : {};
  return { status: 200, body: { feed, ...cursor } };
}

function toPostView(
  { id, kind, at, caption, metrics }: AnalyticsRequest["posts"][number],
  { account, facts }: AnalyticsRequest,
) {
  const did = account.externalId;
  const uri = id.startsWith("at://") ? id : `at://${did}/${COLLECTION}/${id}`;
  const time = at.toISOString();
  return {
    uri,
    cid: createCid(uri),
    author: { did, handle: "account.bsky.test" },
    record: { $type: COLLECTION, text: caption, createdAt: time },
    ...(facts.sparse || kind === "video" ? {} : { embed: toEmbed(kind === "image" ? 1 : 2) }),
    ...(facts.sparse
      ? {}
      : {
          ...{ likeCount: metrics.likes, replyCount: metrics.comments, repostCount: metrics.shares },
          ...{ quoteCount: 0, bookmarkCount: metrics.saves },
        }),
    indexedAt: time,
  };
}

function toEmbed(count: number) {
  const image = { thumb: "https://cdn.bsky.app/thumb.jpg", fullsize: "https://cdn.bsky.app/full.jpg", alt: "" };
  return { $type: "app.bsky.embed.images#view", images: Array.from({ length: count }, () => image) };
}
