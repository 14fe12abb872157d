// The numbers of a member's posts at LinkedIn, one call each:
// https://learn.microsoft.com/en-us/linkedin/marketing/community-management/members/post-statistics (2026-03), read 2026-11-28.
import { pick, pickList } from "../../platforms/http.ts";
import { request } from "../../platforms/linkedin/api.ts";
import type { PostMetrics } from "../../schemas/analytics-metrics.ts";
import type { MissingNumbers } from "../../shared/metrics.ts";
import { fetchPartsOfEach, listMissing, type OptionalPart, type RefusedParts, toParts } from "./optional-parts.ts";
import { type BarePost, parseCount, type ReadJob } from "./reader-contract.ts";

export const NONE: PostMetrics = { views: null, likes: null, comments: null, shares: null, saves: null };

/** By LinkedIn's names, in `queryType`. */
const PARTS = toParts("r_member_postAnalytics", {
  ...{ IMPRESSION: "views", REACTION: "likes", COMMENT: "comments", RESHARE: "shares", POST_SAVE: "saves" },
});

export const fetchMemberMetrics = (job: ReadJob, posts: readonly BarePost[]) =>
  fetchPartsOfEach(PARTS, {}, posts, (post, parts) => fetchPost(job, post, parts));

export const listMemberMissing = (refused: RefusedParts): MissingNumbers => listMissing(PARTS, refused);

async function fetchPost(job: ReadJob, post: BarePost, parts: readonly OptionalPart[]): Promise<PostMetrics> {
  const metrics = { ...NONE };
  for (const { name, metrics: own } of parts) {
    const count = await fetchCount(job, post.platformPostId, name);
    for (const metric of own) metrics[metric] = count;
  }
  return metrics;
}

async function fetchCount(job: ReadJob, urn: string, queryType: string): Promise<number | null> {
  const kind = urn.startsWith("urn:li:ugcPost:") ? "ugc" : "share";
  const entity = `(${kind}:${encodeURIComponent(urn)})`;
  const path = `rest/memberCreatorPostAnalytics?q=entity&entity=${entity}&queryType=${queryType}&aggregation=TOTAL`;
  const { body } = await request(job, "GET", path);
  const [element] = pickList(body, "elements");
  return parseCount(pick(element, "count"));
}
