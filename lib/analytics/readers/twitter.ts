// X's API v2: the account's own posts with their public metrics. X charges for each post that is read, so a refresh reads
// one page. https://docs.x.com/x-api/users/get-posts and openapi.json 2.167 in https://github.com/xdevplatform/docs,
// `PostPublicMetrics`, read 2026-11-28.
import { isObject, type NetworkResponse, pick, pickList, pickString } from "../../platforms/http.ts";
import { request } from "../../platforms/twitter/api.ts";
import { readText } from "../../platforms/twitter/content.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import { addCounts } from "./optional-parts.ts";
import { parseCount, parseInstant, type Reader, type ReadJob, sanitizeText } from "./reader-contract.ts";

/** The most that a page holds. */
const PAGE_SIZE = 100;
const FIELDS = "attachments,created_at,entities,public_metrics,text";

export const twitter: Reader = {
  visibility: "own",
  maxPosts: PAGE_SIZE,

  async read(job) {
    const named = await fetchPosts(job, "post.fields", "note_post");
    // The prose pages of X still name the parameter `tweet.fields`, and the long text; without the fields no post has a time.
    const isUnread = listPosts(named).some((post) => !("created_at" in post));
    const body = isUnread ? await fetchPosts(job, "tweet.fields", "note_tweet") : named;
    return { posts: listPosts(body).flatMap((post) => toPosts(post)), cursor: null };
  },
};

async function fetchPosts(job: ReadJob, fields: string, longText: string): Promise<NetworkResponse["body"]> {
  const query = { max_results: String(PAGE_SIZE), exclude: "retweets", [fields]: `${FIELDS},${longText}` };
  return (await request(job, "GET", `users/${job.connection.externalId}/tweets`, { query })).body;
}

const listPosts = (body: NetworkResponse["body"]) => pickList(body, "data").filter(isObject);

function toPosts(post: Record<string, unknown>): FetchedPost[] {
  const id = pickString(post, "id");
  const publishedAt = parseInstant(post.created_at);
  if (!id || !publishedAt) return [];
  const count = (name: string) => parseCount(pick(post, "public_metrics", name));
  return [
    {
      platformPostId: id,
      kind: toKind(pickList(post, "attachments", "media_keys").map(String)),
      publishedAt,
      caption: sanitizeText(readText(post)),
      permalink: `https://x.com/i/web/status/${id}`,
      thumbnailUrl: null,
      durationSeconds: null,
      views: count("impression_count"),
      likes: count("like_count"),
      comments: count("reply_count"),
      // `retweet_count` before openapi.json 2.167.
      shares: addCounts(count("repost_count") ?? count("retweet_count"), count("quote_count")),
      saves: count("bookmark_count"),
    },
  ];
}

/** Keys of pictures begin with 3: https://docs.x.com/x-api/fundamentals/data-dictionary, read 2026-11-28. */
function toKind([first, second]: string[]): FetchedPost["kind"] {
  if (!first) return "text";
  if (second) return "carousel";
  return first.startsWith("3_") ? "image" : "video";
}
