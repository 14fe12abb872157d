// Scheduled posts whose time was given by a clock, and the statement that moves them when its rules change.
import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Sandbox } from "../shared/scope.ts";
import { NO_LEASE } from "./jobs.ts";
import { inMode } from "./scope.ts";
import { instant, rawQuery, recordSet } from "./sql.ts";

const COLUMNS = {
  id: posts.id,
  scheduledAt: posts.scheduledAt,
  schedule: posts.schedule,
  scheduleZone: posts.scheduleZone,
};

/** The next posts by their time, after one of them; the index posts_by_clock has them in this order. */
export function listClockPosts(
  db: ReadOnlyDb,
  after: { at: Date; id: string },
  limit: number,
  sandbox: Sandbox | null = null,
) {
  return db
    .select(COLUMNS)
    .from(posts)
    .where(
      and(
        isNotNull(posts.scheduleZone),
        inMode(posts.scopeId, sandbox),
        eq(posts.status, sql`'scheduled'`),
        gt(sql`(${posts.scheduledAt}, ${posts.id})`, sql`(${instant(after.at)}, ${after.id}::uuid)`),
      ),
    )
    .orderBy(asc(posts.scheduledAt), asc(posts.id))
    .limit(limit);
}

export interface PostMove {
  id: string;
  /** A post that has another time by now stays. */
  from: Date;
  to: Date;
}

/**
 * Moves posts that are still scheduled, with the locks of an update and in its order. One that is being prepared, or is
 * prepared, goes out in the next minutes and stays. Returns the ids of those that moved; a trigger writes their events.
 */
export async function movePosts(db: Db, moves: PostMove[], now: Date): Promise<string[]> {
  const { id, scheduledAt } = posts;
  const { postId, stage, status, leaseUntil, dueAt, nextAttemptAt, deadlineAt } = postDeliveries;
  const given = recordSet("moves", { id, from: scheduledAt, to: scheduledAt }, moves);
  const updatePosts = db
    .update(posts)
    .set({
      scheduledAt: sql`movable_posts.to`,
      version: sql`${posts.version} + 1`,
      updatedAt: sql`greatest(${instant(now)}, ${posts.updatedAt} + interval '1 millisecond')`,
    })
    .from(sql`movable_posts`)
    .where(eq(id, sql`movable_posts.id`));
  // What lies between two of its times stays: a preparation begins as long before it is due.
  const updateDeliveries = db
    .update(postDeliveries)
    .set({
      dueAt: sql`movable_posts.to`,
      nextAttemptAt: sql`greatest(${instant(now)}, movable_posts.to - (${dueAt} - ${nextAttemptAt}))`,
      deadlineAt: sql`movable_posts.to + (${deadlineAt} - ${dueAt})`,
      ...{ checkedAt: null, risk: null, updatedAt: now, ...NO_LEASE },
    })
    .from(sql`movable_posts`)
    .where(eq(postId, sql`movable_posts.id`));
  const moved = await rawQuery(
    db,
    { id: sql<string>`movable_posts.id` },
    (list) => sql`
      with moves as (select * from ${given}),
        locked_deliveries as (
          select ${postId}, ${status}, ${stage}, ${leaseUntil} from ${postDeliveries} join moves on moves.id = ${postId}
          order by ${postDeliveries.id} for update of ${postDeliveries}
        ),
        locked_posts as (
          select ${id}, moves.to from ${posts} join moves on moves.id = ${id}
          where ${scheduledAt} = moves.from and ${posts.status} = 'scheduled' and (select count(*) from locked_deliveries) >= 0
          order by ${id} for update of ${posts}
        ),
        movable_posts as (
          select * from locked_posts where not exists (
            select 1 from locked_deliveries where post_id = locked_posts.id
              and (status <> 'scheduled' or stage <> 'new' or lease_until > ${instant(now)}))
        ),
        updated_posts as ${updatePosts}, updated_deliveries as ${updateDeliveries}
      select ${list} from movable_posts`,
  );
  return moved.map((row) => row.id);
}
