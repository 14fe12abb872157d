// Bluesky: the account's own posts with their public counts, by app.bsky.feed.getAuthorFeed of its server, which asks the
// network's App View. https://docs.bsky.app/docs/api/app-bsky-feed-get-author-feed and the lexicon app.bsky.feed.defs,
// read 2026-11-28. Bluesky counts no views.
import { callAccountServer, findAccountServer } from "../../platforms/bluesky/account-server.ts";
import { assertSuccess } from "../../platforms/bluesky/errors.ts";
import { isObject, pick, pickList, pickString } from "../../platforms/http.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import { addCounts } from "./optional-parts.ts";
import { parseCount, parseInstant, type Reader, sanitizeLink, sanitizeText } from "./reader-contract.ts";

/** The most that a page holds. */
const PAGE_SIZE = "100";

export const bluesky: Reader = {
  visibility: "own",

  async read(job, cursor) {
    const did = job.connection.externalId;
    const server = await findAccountServer(job, job.network, did);
    const response = await callAccountServer(job, server, {
      method: "GET",
      name: "app.bsky.feed.getAuthorFeed",
      query: {
        ...{ actor: did, limit: PAGE_SIZE, filter: "posts_and_author_threads" },
        ...(cursor === null ? {} : { cursor }),
      },
      authorized: true,
    });
    assertSuccess(job, response);
    const next = pickString(response.body, "cursor");
    return {
      posts: pickList(response.body, "feed")
        .filter(isOwnPost)
        .flatMap((item) => toPosts(item, did)),
      cursor: next === cursor ? null : next,
    };
  },
};

/** A repost is the post of somebody else. */
const isOwnPost = (item: unknown) => isObject(item) && item.reason === undefined;

function toPosts(item: unknown, did: string): FetchedPost[] {
  const post = pick(item, "post");
  const uri = pickString(post, "uri");
  const publishedAt = readTime(post);
  if (!uri || !publishedAt) return [];
  // Beside a quoted post, pictures and videos stand one level deeper.
  const embed = pick(post, "embed", "media") ?? pick(post, "embed");
  return [
    {
      platformPostId: uri,
      kind: toKind(embed),
      publishedAt,
      caption: sanitizeText(pick(post, "record", "text")),
      permalink: `https://bsky.app/profile/${did}/post/${uri.split("/").at(-1)}`,
      thumbnailUrl: sanitizeLink(readThumbnail(embed)),
      durationSeconds: null,
      views: null,
      likes: parseCount(pick(post, "likeCount")),
      comments: parseCount(pick(post, "replyCount")),
      shares: addCounts(parseCount(pick(post, "repostCount")), parseCount(pick(post, "quoteCount"))),
      saves: parseCount(pick(post, "bookmarkCount")),
    },
  ];
}

/**
 * The earlier of the time that the author claims and the time that the network saw it, as the app sorts by:
 * https://docs.bsky.app/docs/advanced-guides/timestamps, read 2026-11-29.
 */
function readTime(post: unknown): Date | null {
  const claimed = parseInstant(pick(post, "record", "createdAt"));
  const seen = parseInstant(pick(post, "indexedAt"));
  return claimed && seen && seen < claimed ? seen : (claimed ?? seen);
}

function toKind(embed: unknown): FetchedPost["kind"] {
  const [, kind] = /^app\.bsky\.embed\.(\w+)#view$/.exec(pickString(embed, "$type") ?? "") ?? [];
  if (kind === "video") return "video";
  const pictures = kind === "images" ? pickList(embed, "images") : kind === "gallery" ? pickList(embed, "items") : [];
  return pictures.length === 0 ? "text" : pictures.length === 1 ? "image" : "carousel";
}

function readThumbnail(embed: unknown): unknown {
  const [image] = pickList(embed, "images");
  return pick(image, "thumb") ?? pick(embed, "thumbnail") ?? pick(embed, "external", "thumb");
}
