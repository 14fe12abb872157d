// The posts of a page or a member, the statistics of a page's posts, and each number of a member's post.
import { DAY_MS } from "../../../shared/durations.ts";
import { errorResponse, findHeaderError } from "../linkedin-protocol.ts";
import { hashToDigits } from "../post-history.ts";
import type { AnalyticsCalls, AnalyticsEndpoint, AnalyticsRequest } from "./calls.ts";

const YEAR_MS = 365 * DAY_MS;

export const linkedin: AnalyticsCalls = {
  endpoints: {
    "posts.list": {
      route: "GET /rest/posts",
      takes: ({ query }) => query.get("sortBy") === "CREATED",
      answer: versioned(listPosts),
    },
    shareStatistics: { route: "GET /rest/organizationalEntityShareStatistics", answer: versioned(listStatistics) },
    postAnalytics: { route: "GET /rest/memberCreatorPostAnalytics", answer: versioned(countOf) },
  },
  sameToken: "posts.find",
  format: {
    buildId: (seed) => `urn:li:share:74${hashToDigits(seed, 17)}`,
    buildUrl: (id) => `https://www.linkedin.com/feed/update/${id}/`,
    kinds: ["video", "image", "carousel"],
  },

  rateLimited: () => errorResponse("TOO_MANY_REQUESTS"),
};

function versioned(answer: AnalyticsEndpoint["answer"]): AnalyticsEndpoint["answer"] {
  return (context, params) => findHeaderError(context.request) ?? answer(context, params);
}

function listPosts({ posts, request }: AnalyticsRequest) {
  if (request.headers.get("x-restli-method") !== "FINDER") return errorResponse("MISSING_REQUIRED_FIELD");
  const author = request.query.get("author") ?? "";
  const count = Math.min(Number(request.query.get("count") ?? 10), 100);
  const start = Number(request.query.get("start") ?? 0);
  const elements = posts.slice(start, start + count).map(({ id, kind, at, caption }) => ({
    ...{ id, author, commentary: caption, visibility: "PUBLIC", lifecycleState: "PUBLISHED" },
    distribution: { feedDistribution: "MAIN_FEED" },
    content: toContent(id, kind),
    ...{ createdAt: at.getTime(), publishedAt: at.getTime(), lastModifiedAt: at.getTime() },
  }));
  return { status: 200, body: { elements, paging: { start, count, links: [] } } };
}

function toContent(id: string, kind: "video" | "image" | "carousel") {
  const name = id.split(":").at(-1);
  if (kind !== "carousel") return { media: { id: `urn:li:${kind}:${name}` } };
  return { multiImage: { images: [{ id: `urn:li:image:${name}1` }, { id: `urn:li:image:${name}2` }] } };
}

/** Lists of Rest.li: `List(urn:li:share:1,urn:li:share:2)`. */
const readList = (text: string | null) => /^List\((.*)\)$/.exec(text ?? "")?.[1]?.split(",") ?? [];

/** A post without impressions, or from more than a year ago, is left out. */
function listStatistics({ facts, now, posts, request, toCount }: AnalyticsRequest) {
  if (request.query.get("q") !== "organizationalEntity") return errorResponse("MISSING_REQUIRED_FIELD");
  const wanted = new Set([...readList(request.query.get("shares")), ...readList(request.query.get("ugcPosts"))]);
  if (wanted.size === 0) return errorResponse("INVALID_VALUE_FOR_FIELD");
  const organizationalEntity = request.query.get("organizationalEntity");
  const elements = posts
    .filter(({ id, at, metrics }) => wanted.has(id) && metrics.views > 0 && now - at.getTime() < YEAR_MS)
    .map(({ id, metrics: { views, likes, comments, shares } }) => ({
      ...{ organizationalEntity, share: id },
      totalShareStatistics: {
        ...{ impressionCount: toCount(views), uniqueImpressionsCount: views, clickCount: 0, engagement: 0.1 },
        ...{ likeCount: toCount(likes), commentCount: toCount(comments), shareCount: toCount(shares) },
      },
    }));
  return { status: 200, body: facts.sparse ? { paging: {} } : { elements, paging: { start: 0, count: 10 } } };
}

const QUERY_TYPES = {
  IMPRESSION: "views",
  REACTION: "likes",
  COMMENT: "comments",
  RESHARE: "shares",
  POST_SAVE: "saves",
};

function countOf({ facts, posts, request, toCount }: AnalyticsRequest) {
  const type = request.query.get("queryType") ?? "";
  const [, urn = ""] = /^\((?:share|ugc):(.*)\)$/.exec(request.query.get("entity") ?? "") ?? [];
  const metric = QUERY_TYPES[type as keyof typeof QUERY_TYPES] as keyof (typeof posts)[number]["metrics"] | undefined;
  if (!metric || facts.retired?.includes(type)) return errorResponse("INVALID_VALUE_FOR_FIELD");
  const post = posts.find(({ id }) => id === urn);
  if (!post) return errorResponse("NOT_FOUND");
  const element = { count: toCount(post.metrics[metric]), metricType: type, targetEntity: { share: urn } };
  return { status: 200, body: { elements: facts.sparse ? [] : [element], paging: { start: 0, count: 10, links: [] } } };
}
