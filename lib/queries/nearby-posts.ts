// The posts of an account around an instant: what a new post may repeat, or crowd.
import { type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import { jsonList, type RowOf, required, typedAs } from "./sql.ts";

/** A day before and after the instant, and what the zone of a time that is not resolved yet may differ. */
const NEARBY_HOURS = 24 + 14;

/** At most as many that wait, and as many that are out, are read of an account. */
const MOST = 100;

const { postId, accountId, status, dueAt, nextAttemptAt, publishedAt } = postDeliveries;

const ownCaption = sql`coalesce((select own->>'caption' from jsonb_array_elements(${posts.overrides}) own
  where own->>'account_id' = ${accounts.id}::text and own ? 'caption'), ${posts.caption})`;

const FIELDS = {
  postId: sql<string>`nearby.post_id`,
  at: typedAs(sql`nearby.at`, required(dueAt)),
  /** SHA-256 of the text, which may be long. */
  textHash: sql<string>`nearby_text.hash`,
};

export type NearbyPost = RowOf<typeof FIELDS>;

/**
 * A column of `accounts`: posts of the scope that wait or are out, read from the two indexes of an account's deliveries. Each
 * is looked up by its id alone, and the scope compared afterwards: without statistics the planner would read all posts of the
 * scope for each.
 */
export function listNearbyPosts(scopeId: SQL, instant: SQL) {
  const around = (column: SQL) => sql`${column} between ${instant} - interval '${sql.raw(`${NEARBY_HOURS} hours`)}'
    and ${instant} + interval '${sql.raw(`${NEARBY_HOURS} hours`)}'`;
  const ofAccount = sql`${accountId} = ${accounts.id} and ${status} <> 'deleted'`;
  return jsonList(FIELDS, {
    from: sql`from (
      (select ${postId}, ${dueAt} as at from ${postDeliveries}
        where ${ofAccount} and ${nextAttemptAt} is not null and ${publishedAt} is null and ${around(sql`${dueAt}`)}
        order by ${dueAt} limit ${MOST})
      union all
      (select ${postId}, ${publishedAt} as at from ${postDeliveries}
        where ${ofAccount} and ${publishedAt} is not null and ${around(sql`${publishedAt}`)}
        order by ${publishedAt} desc limit ${MOST})
    ) nearby cross join lateral (
      select encode(sha256(convert_to(${ownCaption}, 'UTF8')), 'hex') as hash, ${posts.scopeId} as scope_id
      from ${posts} where ${posts.id} = nearby.post_id limit 1
    ) nearby_text where nearby_text.scope_id = ${scopeId}`,
    orderBy: sql`nearby.at`,
  });
}
