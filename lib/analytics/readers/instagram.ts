// Instagram's Graph API: the account's own media with their insights. It does not report the duration of videos.
import pLimit from "p-limit";
import { isObject, type NetworkResponse, pick, pickList, pickString, sendRequest } from "../../platforms/http.ts";
import { INSTAGRAM } from "../../platforms/instagram/rules.ts";
import { assertSuccess, readMetaError } from "../../platforms/meta.ts";
import { getFailure } from "../../platforms/platform.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import { parseCount, parseInstant, type Reader, type ReadJob, sanitizeLink, sanitizeText } from "./reader-contract.ts";

const FIELDS = "id,caption,media_type,permalink,thumbnail_url,media_url,timestamp,like_count,comments_count";
const INSIGHTS = "views,shares,saved";
const PAGE_SIZE = 25;
/** The media was posted before the account became a professional account: it never gets insights. */
const NO_INSIGHTS_SUBCODE = 2108006;
/** Concurrent requests for the insights of single media. */
const INSIGHTS_CONCURRENCY = 5;

export const instagram: Reader = {
  visibility: "own",

  async read(job, cursor) {
    const { body, hasInsights } = await fetchPage(job, cursor);
    const next = pickString(body, "paging", "next") ? pickString(body, "paging", "cursors", "after") : null;
    const media = pickList(body, "data").filter(isObject);
    const insights = hasInsights ? media.map((one) => pick(one, "insights")) : await fetchInsights(job, media);
    return { posts: media.flatMap((one, at) => toPosts(one, insights[at])), cursor: next === cursor ? null : next };
  },
};

/** One medium without insights makes Instagram reject the whole page, which is then read without insights. */
async function fetchPage(
  job: ReadJob,
  cursor: string | null,
): Promise<{ body: NetworkResponse["body"]; hasInsights: boolean }> {
  const path = `${job.connection.externalId}/media`;
  const query = { limit: String(PAGE_SIZE), ...(cursor === null ? {} : { after: cursor }) };
  const whole = await fetchGraph(job, path, { ...query, fields: `${FIELDS},insights.metric(${INSIGHTS})` });
  if (readMetaError(whole.body)?.subcode !== NO_INSIGHTS_SUBCODE) {
    assertSuccess(job, whole, { prefix: "ig", irreversible: false });
    return { body: whole.body, hasInsights: true };
  }
  const bare = await fetchGraph(job, path, { ...query, fields: FIELDS });
  assertSuccess(job, bare, { prefix: "ig", irreversible: false });
  return { body: bare.body, hasInsights: false };
}

function fetchInsights(job: ReadJob, media: Record<string, unknown>[]): Promise<unknown[]> {
  return pLimit(INSIGHTS_CONCURRENCY).map(media, (medium) => fetchMediumInsights(job, medium));
}

async function fetchMediumInsights(job: ReadJob, medium: Record<string, unknown>): Promise<unknown> {
  const response = await fetchGraph(job, `${pickString(medium, "id")}/insights`, { metric: INSIGHTS });
  if (readMetaError(response.body)?.subcode === NO_INSIGHTS_SUBCODE) return null;
  try {
    assertSuccess(job, response, { prefix: "ig", irreversible: false });
  } catch (error) {
    // Other media are read even when Instagram rejects the request for this one.
    if (getFailure(error)?.class === "content") return null;
    throw error;
  }
  return response.body;
}

function fetchGraph(job: ReadJob, path: string, query: Record<string, string>): Promise<NetworkResponse> {
  const url = `${job.network.baseUrl}/${INSTAGRAM.version}/${path}`;
  return sendRequest(job, { network: "Instagram", method: "GET", url, query, bearer: job.connection.accessToken });
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

function readInsight(insights: unknown, name: string): number | null {
  const found = pickList(insights, "data").find((one) => pickString(one, "name") === name);
  const [first] = pickList(found, "values");
  return parseCount(pick(first, "value") ?? pick(found, "total_value", "value"));
}
