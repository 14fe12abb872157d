// The posts of a page with their numbers: fields of a post, and the metric that took the place of impressions.
import { formatGraphTime, graphError, NODE, selectPage } from "../meta-protocol.ts";
import type { NetworkResponse } from "../network.ts";
import { hashToDigits } from "../post-history.ts";
import type { AnalyticsCalls, AnalyticsRequest } from "./calls.ts";

const MEDIA_TYPES = { image: "photo", carousel: "album", video: "video" } as const;
/** https://developers.facebook.com/docs/graph-api/changelog/version25.0: everything else that was views or reach is gone. */
const METRICS = ["post_media_view", "post_total_media_view_unique"];

const POSTS = `GET ${NODE}/published_posts`;
const asksFor = (query: URLSearchParams, field: string) => query.get("fields")?.includes(field) ?? false;

export const facebook: AnalyticsCalls = {
  endpoints: {
    posts_insights: { route: POSTS, takes: ({ query }) => asksFor(query, "insights"), answer: listPosts },
    posts_fields: { route: POSTS, takes: ({ query }) => asksFor(query, "full_picture"), answer: listPosts },
  },
  sameToken: "published_posts",
  format: {
    buildId: (seed) => `12${hashToDigits(seed, 13)}`,
    buildUrl: (id, { externalId }) => `https://www.facebook.com/${externalId}/posts/${id}`,
    kinds: ["video", "image", "carousel"],
  },

  rateLimited: () => graphError(400, 32, null, "Page request limit reached"),
};

function listPosts(context: AnalyticsRequest): NetworkResponse {
  const { facts, posts, request } = context;
  const fields = (request.query.get("fields") ?? "").split(/,(?![^({]*[)}])/);
  const refused = findRefused(fields, facts.retired ?? []);
  if (refused) return graphError(400, 100, null, `(#100) ${refused}`);
  const { page, ...paged } = selectPage(posts, request);
  const data = page.map((post) => ({ id: post.id, ...pickFields(post, fields, context) }));
  return { status: 200, body: { data, ...paged } };
}

function findRefused(fields: string[], retired: string[]): string | null {
  const [, metrics = ""] =
    /^insights\.metric\(([\w,]+)\)$/.exec(fields.find((one) => /^insights/.test(one)) ?? "") ?? [];
  const unknown = metrics.split(",").find((name) => name && (!METRICS.includes(name) || retired.includes(name)));
  if (unknown) return "The value must be a valid insights metric";
  const field = fields.map((one) => one.replace(/\W.*$/, "")).find((name) => retired.includes(name));
  return field ? `Tried accessing nonexisting field (${field})` : null;
}

function pickFields(
  { id, kind, at, caption, url, thumbnail, metrics }: AnalyticsRequest["posts"][number],
  fields: string[],
  { facts, toCount }: AnalyticsRequest,
): object {
  const all: Record<string, unknown> = {
    message: caption,
    created_time: formatGraphTime(at.toISOString()),
    permalink_url: url,
    full_picture: thumbnail ?? `https://scontent.xx.fbcdn.net/${id}.jpg`,
    ...(facts.sparse ? {} : { attachments: { data: [{ media_type: MEDIA_TYPES[kind] }] } }),
    reactions: { data: [], summary: { total_count: toCount(metrics.likes) } },
    comments: { data: [], summary: { order: "ranked", total_count: toCount(metrics.comments) } },
    // Left out of a post that nobody has shared.
    ...(metrics.shares > 0 ? { shares: { count: toCount(metrics.shares) } } : {}),
    insights: {
      data: facts.sparse
        ? []
        : [{ name: "post_media_view", period: "lifetime", values: [{ value: toCount(metrics.views) }] }],
    },
  };
  const names = fields.map((field) => field.replace(/\W.*$/, ""));
  return Object.fromEntries(names.filter((name) => name in all).map((name) => [name, all[name]]));
}
