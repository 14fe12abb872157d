// Threads' API: the account's own posts, and the insights of each, which need a permission of their own.
// https://developers.facebook.com/docs/threads/insights, read 2026-11-28. It reports no saves.
import { isObject, type NetworkResponse, pickList, pickString, sendRequest } from "../../platforms/http.ts";
import { assertSuccess } from "../../platforms/meta.ts";
import { DIALECT } from "../../platforms/threads/errors.ts";
import { THREADS } from "../../platforms/threads/rules.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import {
  addCounts,
  fetchPartsOfEach,
  formatPartsCursor,
  listMissing,
  type OptionalPart,
  parsePartsCursor,
  readInsight,
  readNextCursor,
  toParts,
} from "./optional-parts.ts";
import { parseInstant, type Reader, type ReadJob, sanitizeLink, sanitizeText } from "./reader-contract.ts";

const FIELDS = "id,media_type,media_url,permalink,text,timestamp,thumbnail_url";
const PAGE_SIZE = "25";

const PARTS = toParts("threads_manage_insights", {
  ...{ views: "views", likes: "likes", replies: "comments", reposts: "shares", quotes: "shares", shares: "shares" },
});

export const threads: Reader = {
  visibility: "own",

  async read(job, cursor) {
    const { after, refused: before } = parsePartsCursor(cursor);
    const query = { fields: FIELDS, limit: PAGE_SIZE, ...(after === null ? {} : { after }) };
    const { body } = await fetchGraph(job, `${job.connection.externalId}/threads`, query);
    const media = pickList(body, "data").filter(isObject).filter(isOwnPost);
    const { results, refused } = await fetchPartsOfEach(PARTS, before, media, (post, parts) =>
      fetchPostInsights(job, post, parts),
    );
    const next = readNextCursor(body);
    return {
      posts: media.flatMap((one, at) => toPosts(one, results[at])),
      cursor: next && next !== after ? formatPartsCursor({ after: next, refused }) : null,
      missing: listMissing(PARTS, refused),
    };
  },
};

/** A repost is the post of somebody else. */
const isOwnPost = ({ media_type }: Record<string, unknown>) => media_type !== "REPOST_FACADE";

async function fetchPostInsights(
  job: ReadJob,
  post: Record<string, unknown>,
  parts: readonly OptionalPart[],
): Promise<unknown> {
  if (parts.length === 0) return null;
  const metric = parts.map(({ name }) => name).join(",");
  return (await fetchGraph(job, `${pickString(post, "id")}/insights`, { metric })).body;
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
