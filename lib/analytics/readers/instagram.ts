// Instagram's Graph API: the account's own media with their insights. It does not report the duration of videos.
import { isObject, type NetworkResponse, pick, pickList, pickString, sendRequest } from "../../platforms/http.ts";
import { INSTAGRAM } from "../../platforms/instagram/rules.ts";
import { assertSuccess, readMetaError } from "../../platforms/meta.ts";
import { getFailure } from "../../platforms/platform.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import {
  fetchPartsOfEach,
  isRefusal,
  listMissing,
  type OptionalPart,
  type RefusedParts,
  readInsight,
  readNextCursor,
  toParts,
} from "./optional-parts.ts";
import { parseCount, parseInstant, type Reader, type ReadJob, sanitizeLink, sanitizeText } from "./reader-contract.ts";

const FIELDS = "id,caption,media_type,permalink,thumbnail_url,media_url,timestamp,like_count,comments_count";
const PAGE_SIZE = 25;
/** The media was posted before the account became a professional account: it never gets insights. */
const NO_INSIGHTS_SUBCODE = 2108006;

const PARTS = toParts("instagram_business_manage_insights", { views: "views", shares: "shares", saved: "saves" });

export const instagram: Reader = {
  visibility: "own",

  async read(job, cursor) {
    const path = `${job.connection.externalId}/media`;
    const query = { limit: String(PAGE_SIZE), ...(cursor === null ? {} : { after: cursor }) };
    const { body, insights, refused } = await fetchPage(job, (fields) => fetchGraph(job, path, { ...query, fields }));
    const next = readNextCursor(body);
    return {
      posts: listMedia(body).flatMap((one, at) => toPosts(one, insights[at])),
      cursor: next === cursor ? null : next,
      missing: listMissing(PARTS, refused),
    };
  },
};

type Body = NetworkResponse["body"];

const listMedia = (body: Body) => pickList(body, "data").filter(isObject);

/**
 * One medium without insights, a metric that Instagram renamed or a permission that is missing makes it reject the whole page,
 * which is then read without insights, and then each medium alone.
 */
async function fetchPage(
  job: ReadJob,
  fetchMedia: (fields: string) => Promise<Body>,
): Promise<{ body: Body; insights: unknown[]; refused: RefusedParts }> {
  try {
    const body = await fetchMedia(`${FIELDS},insights.metric(${listNames(PARTS)})`);
    return { body, insights: listMedia(body).map((one) => pick(one, "insights")), refused: {} };
  } catch (error) {
    if (!isRefusal(getFailure(error))) throw error;
  }
  const body = await fetchMedia(FIELDS);
  const { results, refused } = await fetchPartsOfEach(PARTS, {}, listMedia(body), (medium, parts) =>
    fetchInsights(job, medium, parts),
  );
  return { body, insights: results, refused };
}

const listNames = (parts: readonly OptionalPart[]) => parts.map(({ name }) => name).join(",");

async function fetchInsights(job: ReadJob, medium: Record<string, unknown>, parts: readonly OptionalPart[]) {
  return parts.length === 0
    ? null
    : fetchGraph(job, `${pickString(medium, "id")}/insights`, { metric: listNames(parts) });
}

/** The body; an empty one where a medium has no insights, which says nothing of the others. */
async function fetchGraph(job: ReadJob, path: string, query: Record<string, string>): Promise<Body> {
  const url = `${job.network.baseUrl}/${INSTAGRAM.version}/${path}`;
  const request = { network: "Instagram", method: "GET" as const, url, query, bearer: job.connection.accessToken };
  const response = await sendRequest(job, request);
  const isUnmeasured = "metric" in query && readMetaError(response.body)?.subcode === NO_INSIGHTS_SUBCODE;
  if (isUnmeasured) return {};
  assertSuccess(job, response, { prefix: "ig", irreversible: false });
  return response.body;
}

const POST_KINDS: Record<string, FetchedPost["kind"]> = { IMAGE: "image", CAROUSEL_ALBUM: "carousel" };

function toPosts(medium: Record<string, unknown>, insights: unknown): FetchedPost[] {
  const id = pickString(medium, "id");
  const publishedAt = parseInstant(medium.timestamp);
  if (!id || !publishedAt) return [];
  const kind = POST_KINDS[pickString(medium, "media_type") ?? ""] ?? "video";
  return [
    {
      platformPostId: id,
      kind,
      publishedAt,
      caption: sanitizeText(medium.caption),
      permalink: sanitizeLink(medium.permalink),
      thumbnailUrl: sanitizeLink(medium.thumbnail_url ?? (kind === "video" ? null : medium.media_url)),
      durationSeconds: null,
      views: readInsight(insights, "views"),
      // Left out when the owner hides it: https://developers.facebook.com/docs/instagram-platform/reference/instagram-media.
      likes: parseCount(medium.like_count),
      comments: parseCount(medium.comments_count),
      shares: readInsight(insights, "shares"),
      saves: readInsight(insights, "saved"),
    },
  ];
}
