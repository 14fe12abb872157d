// What this service published on an account.
import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import type { PostKind } from "../shared/metrics.ts";
import { type RowOf, required } from "./sql.ts";

const COLUMNS = {
  platformPostId: required(postDeliveries.platformPostId),
  publishedAt: required(postDeliveries.publishedAt),
  caption: posts.caption,
  permalink: postDeliveries.publishedUrl,
  kind: sql<PostKind>`case when ${posts.media} is null then 'text' when ${posts.media}->>'type' = 'video' then 'video'
    when ${posts.media}->>'type' = 'carousel' or jsonb_array_length(${posts.media}->'urls') > 1 then 'carousel'
    else 'image' end`,
};
type PublishedPost = RowOf<typeof COLUMNS>;

/** The newest posts of the account whose id at the network is known. */
export function listPublishedPosts(db: ReadOnlyDb, accountId: string, limit: number): Promise<PublishedPost[]> {
  const { publishedAt, platformPostId, status } = postDeliveries;
  return db
    .select(COLUMNS)
    .from(postDeliveries)
    .innerJoin(posts, eq(posts.id, postDeliveries.postId))
    .where(
      and(
        eq(postDeliveries.accountId, accountId),
        isNotNull(publishedAt),
        isNotNull(platformPostId),
        eq(status, "posted"),
      ),
    )
    .orderBy(desc(publishedAt))
    .limit(limit);
}
