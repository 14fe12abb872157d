// The trace of deliveries: a row for each finished step, partitioned by month.
import { desc, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { deliveryAttempts, postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { jsonList } from "./sql.ts";

/** A post shows this many lines of its trace: the last ones of all deliveries. */
const MAX_RECENT = 60;

const { id, deliveryId, at, attempt, step, outcome, code, message } = deliveryAttempts;

/** The last steps of the deliveries of one post, the newest first. */
export function selectRecentAttempts(db: ReadOnlyDb, isThisPost: SQL | undefined) {
  return db
    .select({ deliveryId, step, outcome, code, message, at })
    .from(deliveryAttempts)
    .innerJoin(postDeliveries, eq(postDeliveries.id, deliveryId))
    .innerJoin(posts, eq(posts.id, postDeliveries.postId))
    .where(isThisPost)
    .orderBy(desc(id))
    .limit(MAX_RECENT);
}

/** The steps of the delivery of each row, the oldest first, as a list in JSON. */
export function buildTrace(delivery: PgColumn) {
  return jsonList(
    { at, attempt, step, outcome, code, message },
    { from: sql`from ${deliveryAttempts} where ${deliveryId} = ${delivery}`, orderBy: sql`${at}, ${id}` },
  );
}
