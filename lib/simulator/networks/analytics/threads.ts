// The posts of a Threads account, and the insights of each.
import type { PathParams } from "../endpoints.ts";
import { formatGraphTime, graphError, missingObjectError, NODE, selectPage } from "../meta-protocol.ts";
import type { NetworkResponse } from "../network.ts";
import { hashToDigits } from "../post-history.ts";
import type { AnalyticsCalls, AnalyticsRequest } from "./calls.ts";

const MEDIA_TYPES = { image: "IMAGE", carousel: "CAROUSEL_ALBUM", video: "VIDEO" } as const;
const METRICS = ["views", "likes", "replies", "reposts", "quotes", "shares"];

export const threads: AnalyticsCalls = {
  endpoints: {
    threads_posts: {
      route: `GET ${NODE}/threads`,
      takes: ({ query }) => /media_type/.test(query.get("fields") ?? ""),
      answer: listPosts,
    },
    insights: { route: `GET ${NODE}/insights`, answer: listInsights },
  },
  sameToken: "threads_list",
  format: {
    buildId: (seed) => `180${hashToDigits(seed, 14)}`,
    buildUrl: (id, { username }) =>
      `https://www.threads.com/@${username}/post/${Buffer.from(id).toString("base64url")}`,
    kinds: ["video", "image", "carousel"],
  },

  rateLimited: () => graphError(400, 613, null, "Calls to this api have exceeded the rate limit."),
};

function listInsights({ facts, posts, request, toCount }: AnalyticsRequest, { id = "" }: PathParams): NetworkResponse {
  const names = (request.query.get("metric") ?? "").split(",");
  const unknown = names.find((name) => !METRICS.includes(name) || facts.retired?.includes(name));
  if (unknown !== undefined)
    return graphError(400, 100, null, `Param metric[0] must be one of {${METRICS}} - got "${unknown}".`);
  const post = posts.find((one) => one.id === id);
  if (!post) return missingObjectError(id, "GET");
  const { views, likes, comments, shares } = post.metrics;
  const values: Record<string, number | undefined> = {
    views,
    likes,
    replies: comments,
    reposts: shares,
    quotes: 0,
  };
  const data = names.flatMap((name) => {
    const value = name === "shares" ? 0 : values[name];
    return value === undefined ? [] : [{ name, period: "lifetime", values: [{ value: toCount(value) }] }];
  });
  return { status: 200, body: facts.sparse ? {} : { data } };
}

function listPosts({ posts, request }: AnalyticsRequest): NetworkResponse {
  const { page, paging = {} } = selectPage(posts, request);
  const data = page.map(({ id: own, kind, at, caption, url }) => ({
    id: own,
    media_type: MEDIA_TYPES[kind],
    media_url: `https://scontent.cdninstagram.com/${own}`,
    permalink: url,
    text: caption,
    timestamp: formatGraphTime(at.toISOString()),
    ...(kind === "video" ? { thumbnail_url: `https://scontent.cdninstagram.com/${own}.jpg` } : {}),
  }));
  return { status: 200, body: { data, paging } };
}
