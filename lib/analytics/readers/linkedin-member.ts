// The numbers of a member's posts at LinkedIn, one call each:
// https://learn.microsoft.com/en-us/linkedin/marketing/community-management/members/post-statistics (2026-03), read 2026-11-28.
import pLimit from "p-limit";
import { pick, pickList } from "../../platforms/http.ts";
import { request } from "../../platforms/linkedin/api.ts";
import { getFailure } from "../../platforms/platform.ts";
import type { PostMetrics } from "../../schemas/analytics-metrics.ts";
import { METRICS, type Metric, type MissingNumbers } from "../../shared/metrics.ts";
import { fetchWithParts, isRefusal, listMissing, type OptionalPart, type RefusedParts } from "./optional-parts.ts";
import { type BarePost, parseCount, type ReadJob } from "./reader-contract.ts";

const CONCURRENCY = 5;

const toPart = (name: string, metric: Metric): OptionalPart => ({
  ...{ name, metrics: [metric], permission: "r_member_postAnalytics" },
});

/** By LinkedIn's names, in `queryType`. */
const PARTS: readonly OptionalPart[] = [
  toPart("IMPRESSION", "views"),
  toPart("REACTION", "likes"),
  toPart("COMMENT", "comments"),
  toPart("RESHARE", "shares"),
  toPart("POST_SAVE", "saves"),
];

/** The first post shows what LinkedIn refuses; then the others are asked for the rest. */
export async function fetchMemberMetrics(
  job: ReadJob,
  [first, ...others]: readonly BarePost[],
): Promise<{ metrics: PostMetrics[]; refused: RefusedParts }> {
  if (!first) return { metrics: [], refused: {} };
  const { result, refused } = await fetchWithParts(PARTS, {}, (parts) => fetchPost(job, first, parts));
  const left = PARTS.filter(({ name }) => !(name in refused));
  const rest = await pLimit(CONCURRENCY).map(others, (post) => tryPost(job, post, left));
  return { metrics: [result, ...rest], refused };
}

export const listMemberMissing = (refused: RefusedParts): MissingNumbers => listMissing(PARTS, refused);

async function fetchPost(job: ReadJob, post: BarePost, parts: readonly OptionalPart[]): Promise<PostMetrics> {
  const metrics = Object.fromEntries(METRICS.map((metric) => [metric, null])) as PostMetrics;
  for (const { name, metrics: own } of parts) {
    const count = await fetchCount(job, post.platformPostId, name);
    for (const metric of own) metrics[metric] = count;
  }
  return metrics;
}

/** Other posts are read even when LinkedIn rejects the request for this one. */
async function tryPost(job: ReadJob, post: BarePost, parts: readonly OptionalPart[]): Promise<PostMetrics> {
  try {
    return await fetchPost(job, post, parts);
  } catch (error) {
    if (isRefusal(getFailure(error))) return fetchPost(job, post, []);
    throw error;
  }
}

async function fetchCount(job: ReadJob, urn: string, queryType: string): Promise<number | null> {
  const kind = urn.startsWith("urn:li:ugcPost:") ? "ugc" : "share";
  const entity = `(${kind}:${encodeURIComponent(urn)})`;
  const path = `rest/memberCreatorPostAnalytics?q=entity&entity=${entity}&queryType=${queryType}&aggregation=TOTAL`;
  const { body } = await request(job, "GET", path);
  const [element] = pickList(body, "elements");
  return parseCount(pick(element, "count"));
}
