// Threads' API: the account's own posts, and the insights of each, which need a permission of their own.
// https://developers.facebook.com/docs/threads/insights, read 2026-11-28. It reports no saves.
import pLimit from "p-limit";
import { isObject, type NetworkResponse, pick, pickList, pickString, sendRequest } from "../../platforms/http.ts";
import { assertSuccess } from "../../platforms/meta.ts";
import { getFailure } from "../../platforms/platform.ts";
import { DIALECT } from "../../platforms/threads/errors.ts";
import { THREADS } from "../../platforms/threads/rules.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import type { Metric } from "../../shared/metrics.ts";
import {
  addCounts,
  fetchWithParts,
  formatPartsCursor,
  isRefusal,
  listMissing,
  type OptionalPart,
  parsePartsCursor,
  type RefusedParts,
} from "./optional-parts.ts";
import { parseCount, parseInstant, type Reader, type ReadJob, sanitizeLink, sanitizeText } from "./reader-contract.ts";

const FIELDS = "id,media_type,media_url,permalink,text,timestamp,thumbnail_url";
const PAGE_SIZE = "25";
/** Concurrent requests for the insights of single posts. */
const INSIGHTS_CONCURRENCY = 5;

const toPart = (name: string, metric: Metric): OptionalPart => ({
  ...{ name, metrics: [metric], permission: "threads_manage_insights" },
});

const PARTS: readonly OptionalPart[] = [
  toPart("views", "views"),
  toPart("likes", "likes"),
  toPart("replies", "comments"),
  toPart("reposts", "shares"),
  toPart("quotes", "shares"),
  toPart("shares", "shares"),
];

export const threads: Reader = {
  visibility: "own",

  async read(job, cursor) {
    const { after, refused: before } = parsePartsCursor(cursor);
    const query = { fields: FIELDS, limit: PAGE_SIZE, ...(after === null ? {} : { after }) };
    const { body } = await fetchGraph(job, `${job.connection.externalId}/threads`, query);
    const media = pickList(body, "data").filter(isObject).filter(isOwnPost);
    const { insights, refused } = await fetchInsights(job, media, before);
    const next = pickString(body, "paging", "next") ? pickString(body, "paging", "cursors", "after") : null;
    return {
      posts: media.flatMap((one, at) => toPosts(one, insights[at])),
      cursor: next && next !== after ? formatPartsCursor({ after: next, refused }) : null,
      missing: listMissing(PARTS, refused),
    };
  },
};

/** A repost is the post of somebody else. */
const isOwnPost = ({ media_type }: Record<string, unknown>) => media_type !== "REPOST_FACADE";

/** The first post of a page shows what Threads refuses; then the others are asked for the rest. */
async function fetchInsights(
  job: ReadJob,
  [first, ...others]: Record<string, unknown>[],
  before: RefusedParts,
): Promise<{ insights: unknown[]; refused: RefusedParts }> {
  if (!first) return { insights: [], refused: before };
  const { result, refused } = await fetchWithParts(PARTS, before, (parts) => fetchPostInsights(job, first, parts));
  const left = PARTS.filter(({ name }) => !(name in refused));
  const rest = await pLimit(INSIGHTS_CONCURRENCY).map(others, (post) => tryPostInsights(job, post, left));
  return { insights: [result, ...rest], refused };
}

async function fetchPostInsights(
  job: ReadJob,
  post: Record<string, unknown>,
  parts: readonly OptionalPart[],
): Promise<unknown> {
  if (parts.length === 0) return null;
  const metric = parts.map(({ name }) => name).join(",");
  return (await fetchGraph(job, `${pickString(post, "id")}/insights`, { metric })).body;
}

/** Other posts are read even when Threads rejects the request for this one. */
async function tryPostInsights(job: ReadJob, post: Record<string, unknown>, parts: readonly OptionalPart[]) {
  try {
    return await fetchPostInsights(job, post, parts);
  } catch (error) {
    if (isRefusal(getFailure(error))) return null;
    throw error;
  }
}

async function fetchGraph(job: ReadJob, path: string, query: Record<string, string>): Promise<NetworkResponse> {
  const url = `${job.network.baseUrl}/${THREADS.version}/${path}`;
  const request = { network: "Threads", method: "GET" as const, url, query, bearer: job.connection.accessToken };
  const response = await sendRequest(job, request);
  assertSuccess(job, response, { prefix: "th", irreversible: false, dialect: DIALECT });
  return response;
}

const KINDS: Readonly<Record<string, FetchedPost["kind"]>> = {
  ...{ IMAGE: "image", VIDEO: "video", CAROUSEL_ALBUM: "carousel" },
};

function toPosts(post: Record<string, unknown>, insights: unknown): FetchedPost[] {
  const id = pickString(post, "id");
  const publishedAt = parseInstant(post.timestamp);
  if (!id || !publishedAt) return [];
  const kind = KINDS[pickString(post, "media_type") ?? ""] ?? "text";
  const read = (name: string) => readInsight(insights, name);
  return [
    {
      platformPostId: id,
      kind,
      publishedAt,
      caption: sanitizeText(post.text),
      permalink: sanitizeLink(post.permalink),
      thumbnailUrl: sanitizeLink(post.thumbnail_url ?? (kind === "image" ? post.media_url : null)),
      durationSeconds: null,
      views: read("views"),
      likes: read("likes"),
      comments: read("replies"),
      shares: addCounts(read("reposts"), read("quotes"), read("shares")),
      saves: null,
    },
  ];
}

function readInsight(insights: unknown, name: string): number | null {
  const found = pickList(insights, "data").find((one) => pickString(one, "name") === name);
  const [first] = pickList(found, "values");
  return parseCount(pick(first, "value") ?? pick(found, "total_value", "value"));
}
