// LinkedIn's versioned API: the posts of a page with their statistics, or those of a member, each number of which is a call.
import { isObject, pick, pickList, pickNumber, pickString } from "../../platforms/http.ts";
import { request } from "../../platforms/linkedin/api.ts";
import { getAuthor, toPlainText } from "../../platforms/linkedin/content.ts";
import { getFailure } from "../../platforms/platform.ts";
import type { FetchedPost, PostMetrics } from "../../schemas/analytics-metrics.ts";
import type { MissingNumbers } from "../../shared/metrics.ts";
import { fetchMemberMetrics, listMemberMissing, NONE } from "./linkedin-member.ts";
import { fetchWithParts, isRefusal, listMissing, type OptionalPart, parsePartsCursor } from "./optional-parts.ts";
import { type BarePost, parseCount, parseInstant, type Reader, type ReadJob, sanitizeText } from "./reader-contract.ts";

const PAGE_SIZE = 50;

export const linkedin: Reader = {
  visibility: "own",

  async read(job, cursor) {
    const author = getAuthor(job);
    return author.startsWith("urn:li:person:") ? readMember(job, author) : readPage(job, author, cursor);
  },
};

const STATISTICS: readonly OptionalPart[] = [
  { name: "statistics", metrics: ["views", "likes", "comments", "shares"], permission: "rw_organization_admin" },
];

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api, read 2026-11-28. */
async function readPage(job: ReadJob, author: string, cursor: string | null) {
  const { after, refused: before } = parsePartsCursor(cursor);
  const posts = await listPosts(job, author, Number(after ?? 0));
  const { result: statistics, refused } = await fetchWithParts(STATISTICS, before, (parts) =>
    parts.length > 0 ? fetchStatistics(job, author, posts) : Promise.resolve(new Map<string, PostMetrics>()),
  );
  const next = JSON.stringify({ after: String(Number(after ?? 0) + PAGE_SIZE), refused });
  const missing: MissingNumbers = { ...listMissing(STATISTICS, refused), saves: { coverage: "not_given" } };
  return {
    posts: posts.map((post) => ({ ...post, ...(statistics.get(post.platformPostId) ?? NONE) })),
    cursor: posts.length < PAGE_SIZE ? null : next,
    missing,
  };
}

async function listPosts(job: ReadJob, author: string, start: number): Promise<BarePost[]> {
  const { body } = await request(job, "GET", "rest/posts", {
    query: { q: "author", author, count: String(PAGE_SIZE), start: String(start), sortBy: "CREATED" },
    headers: { "x-restli-method": "FINDER" },
  });
  return pickList(body, "elements").filter(isObject).flatMap(toPosts);
}

/**
 * Of the last twelve months; older posts have none.
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/share-statistics, read 2026-11-28.
 */
async function fetchStatistics(
  job: ReadJob,
  author: string,
  posts: readonly BarePost[],
): Promise<Map<string, PostMetrics>> {
  const found = new Map<string, PostMetrics>();
  if (posts.length === 0) return found;
  const list = (name: string, kind: string) => {
    const urns = posts.map(({ platformPostId }) => platformPostId).filter((urn) => urn.startsWith(`urn:li:${kind}:`));
    return urns.length > 0 ? `&${name}=List(${urns.map(encodeURIComponent).join(",")})` : "";
  };
  // Rest.li's lists are no plain parameters: their brackets and commas stay as they are.
  const query = `q=organizationalEntity&organizationalEntity=${encodeURIComponent(author)}`;
  const path = `rest/organizationalEntityShareStatistics?${query}${list("shares", "share")}${list("ugcPosts", "ugcPost")}`;
  const { body } = await request(job, "GET", path);
  for (const element of pickList(body, "elements")) {
    const urn = pickString(element, "share") ?? pickString(element, "ugcPost");
    const totals = pick(element, "totalShareStatistics");
    if (!urn) continue;
    const count = (name: string) => parseCount(pick(totals, name));
    const [views, likes, comments] = [count("impressionCount"), count("likeCount"), count("commentCount")];
    found.set(urn, { ...NONE, views, likes, comments, shares: count("shareCount") });
  }
  return found;
}

/** Few apps may list the posts of members; those that this service published are known. */
async function readMember(job: ReadJob, author: string) {
  const posts = await listMemberPosts(job, author);
  const { results, refused } = await fetchMemberMetrics(job, posts);
  return {
    posts: posts.map((post, at) => ({ ...post, ...(results[at] ?? NONE) })),
    cursor: null,
    missing: listMemberMissing(refused),
  };
}

/** One page, because each number of a member's post is a call. */
const MEMBER_POSTS = 20;

async function listMemberPosts(job: ReadJob, author: string): Promise<BarePost[]> {
  try {
    return (await listPosts(job, author, 0)).slice(0, MEMBER_POSTS);
  } catch (error) {
    if (!isRefusal(getFailure(error))) throw error;
    const published = await job.listPublished(MEMBER_POSTS);
    return published.map((post) => ({ ...post, thumbnailUrl: null, durationSeconds: null }));
  }
}

function toPosts(post: Record<string, unknown>): BarePost[] {
  const id = pickString(post, "id");
  const at = pickNumber(post, "publishedAt") ?? pickNumber(post, "createdAt");
  const publishedAt = at === null ? null : parseInstant(at / 1000);
  if (!id || !publishedAt) return [];
  return [
    {
      platformPostId: id,
      kind: toKind(pick(post, "content")),
      publishedAt,
      caption: toPlainText(sanitizeText(post.commentary)),
      permalink: `https://www.linkedin.com/feed/update/${id}/`,
      thumbnailUrl: null,
      durationSeconds: null,
    },
  ];
}

function toKind(content: unknown): FetchedPost["kind"] {
  if (isObject(pick(content, "multiImage"))) return "carousel";
  const [, kind] = /^urn:li:(image|video|document):/.exec(pickString(content, "media", "id") ?? "") ?? [];
  if (kind === "document") return "carousel";
  return kind === "image" || kind === "video" ? kind : "text";
}
