// Facebook's Graph API: the posts of a page. Reach and impressions are retired, views took their place:
// https://developers.facebook.com/documentation/pages-api/platforminsights/page/deprecated-metrics (updated 2026-03-02) and
// https://developers.facebook.com/docs/graph-api/changelog/version25.0, read 2026-11-28. It reports no saves.
import { requestGraph } from "../../platforms/facebook/graph.ts";
import { isObject, pick, pickList, pickString } from "../../platforms/http.ts";
import type { FetchedPost } from "../../schemas/analytics-metrics.ts";
import {
  fetchWithParts,
  formatPartsCursor,
  listMissing,
  type OptionalPart,
  parsePartsCursor,
  readInsight,
  readNextCursor,
} from "./optional-parts.ts";
import { parseCount, parseInstant, type Reader, sanitizeLink, sanitizeText } from "./reader-contract.ts";

const FIELDS = "id,message,created_time,permalink_url,full_picture,attachments{media_type}";
const PAGE_SIZE = "25";

interface Part extends OptionalPart {
  fields: string;
}

/**
 * The fields: https://developers.facebook.com/docs/graph-api/reference/page/published_posts/ and .../reference/post/; the
 * metric: https://developers.facebook.com/docs/graph-api/reference/insights, which needs `read_insights`. Read 2026-11-28.
 */
const PARTS: readonly Part[] = [
  {
    ...{ name: "views", metrics: ["views"], permission: "read_insights" },
    fields: "insights.metric(post_media_view)",
  },
  {
    ...{ name: "reactions", metrics: ["likes"], permission: "pages_read_engagement" },
    fields: "reactions.limit(0).summary(total_count)",
  },
  {
    ...{ name: "comments", metrics: ["comments"], permission: "pages_read_engagement" },
    fields: "comments.limit(0).summary(total_count)",
  },
  { name: "shares", metrics: ["shares"], permission: "pages_read_engagement", fields: "shares" },
];

export const facebook: Reader = {
  visibility: "own",

  async read(job, cursor) {
    const { after, refused: before } = parsePartsCursor(cursor);
    const { result, refused } = await fetchWithParts(PARTS, before, (parts) =>
      requestGraph(job, "GET", `${job.connection.externalId}/published_posts`, {
        query: {
          fields: [FIELDS, ...parts.map(({ fields }) => fields)].join(","),
          limit: PAGE_SIZE,
          ...(after === null ? {} : { after }),
        },
      }),
    );
    const { body } = result;
    const next = readNextCursor(body);
    return {
      posts: pickList(body, "data")
        .filter(isObject)
        .flatMap((post) => toPosts(post, "shares" in refused)),
      cursor: next && next !== after ? formatPartsCursor({ after: next, refused }) : null,
      missing: listMissing(PARTS, refused),
    };
  },
};

const KINDS: Readonly<Record<string, FetchedPost["kind"]>> = { photo: "image", album: "carousel", video: "video" };

function toPosts(post: Record<string, unknown>, withoutShares: boolean): FetchedPost[] {
  const id = pickString(post, "id");
  const publishedAt = parseInstant(post.created_time);
  if (!id || !publishedAt) return [];
  const [attachment] = pickList(post, "attachments", "data");
  return [
    {
      platformPostId: id,
      kind: KINDS[pickString(attachment, "media_type") ?? ""] ?? "text",
      publishedAt,
      caption: sanitizeText(post.message),
      permalink: sanitizeLink(post.permalink_url),
      thumbnailUrl: sanitizeLink(post.full_picture),
      durationSeconds: null,
      views: readInsight(post.insights, "post_media_view"),
      likes: parseCount(pick(post, "reactions", "summary", "total_count")),
      comments: parseCount(pick(post, "comments", "summary", "total_count")),
      // Facebook leaves the object out of a post that nobody has shared.
      shares: withoutShares ? null : post.shares === undefined ? 0 : parseCount(pick(post, "shares", "count")),
      saves: null,
    },
  ];
}
