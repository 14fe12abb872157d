// The posts of an account around an instant, which a new post may repeat or be too close to.
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import { jsonRows, type RowOf, required, typedAs } from "./sql.ts";

/** A day before and after the instant, and 14 hours because a time of a clock is read as UTC before its zone is known. */
export const NEARBY_HOURS = 24 + 14;
/** For a post that takes a slot: slots are weekly, and the first that is free is known only once they are read. */
export const NEARBY_SLOT_HOURS = 8 * 24;

/** The rows of each kind: posts that wait before the instant, that wait after it, and that were published before and after it. */
const MAX_PER_KIND = 50;

/** The keys and decoders of what `nearby_posts` returns (migration 0018); the SQL of these fields is not sent. */
const FIELDS = {
  postId: sql<string>`post_id`,
  at: typedAs(sql`at`, required(postDeliveries.dueAt)),
  /** SHA-256 of the text, which may be long. */
  textHash: sql<string>`text_hash`,
};

export type NearbyPost = RowOf<typeof FIELDS>;

/** An expression for a select from `accounts`: posts of the scope that wait or are out, in the order of their times. */
export const nearbyPostsOf = (scopeId: SQL, instant: SQL, hours: number | Placeholder) =>
  jsonRows(
    FIELDS,
    sql`nearby_posts(${accounts.id}, ${scopeId}, ${instant}, ${hours}::int, ${sql.raw(`${MAX_PER_KIND}`)})`,
  );
