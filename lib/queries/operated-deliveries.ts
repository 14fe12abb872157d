// Reads and changes single deliveries of all customers for an operator: `npm run admin -- deliveries`.
import { and, asc, eq, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { deliveryAttempts, postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { buildTrace } from "./delivery-attempts.ts";
import { isUnleased } from "./jobs.ts";
import { inMode } from "./scope.ts";
import { columnNames, instant, type RowOf, rawQuery } from "./sql.ts";
import { waitingDelivery } from "./waiting-deliveries.ts";

const { id, postId, accountId, status, stage, dueAt, nextAttemptAt, leaseUntil, claims, attempts } = postDeliveries;

const SUMMARY_COLUMNS = {
  ...{ id, postId, accountId, status, stage, dueAt, nextAttemptAt, leaseUntil, claims, attempts },
  errorCode: postDeliveries.errorCode,
  scopeId: sql<string>`${posts.scopeId}`,
  platform: accounts.platform,
  username: accounts.username,
};
export type DeliverySummary = RowOf<typeof SUMMARY_COLUMNS>;

/** Open deliveries that were due before, the earliest first; published ones that lack a permalink are not stuck. */
export function listStuckDeliveries(db: ReadOnlyDb, dueBefore: Date, limit: number): Promise<DeliverySummary[]> {
  return db
    .select(SUMMARY_COLUMNS)
    .from(postDeliveries)
    .innerJoin(posts, eq(posts.id, postId))
    .innerJoin(accounts, eq(accounts.id, accountId))
    .where(
      and(sql`${nextAttemptAt} is not null`, ne(status, "posted"), lt(dueAt, dueBefore), inMode(posts.scopeId, null)),
    )
    .orderBy(asc(dueAt), asc(id))
    .limit(limit);
}

/** One delivery with its trace, the oldest step first, and what it waits for. */
export async function findDelivery(db: ReadOnlyDb, deliveryId: string) {
  const [row] = await db
    .select({
      ...SUMMARY_COLUMNS,
      accountStatus: accounts.status,
      deadlineAt: postDeliveries.deadlineAt,
      armedAt: postDeliveries.armedAt,
      publishedAt: postDeliveries.publishedAt,
      publishedUrl: postDeliveries.publishedUrl,
      errorMessage: postDeliveries.errorMessage,
      waitingFor: waitingDelivery,
      trace: buildTrace(id),
    })
    .from(postDeliveries)
    .innerJoin(posts, eq(posts.id, postId))
    .innerJoin(accounts, eq(accounts.id, accountId))
    .where(eq(id, deliveryId));
  return row ?? null;
}

/** The irreversible call may have been made, so only the network can report the outcome. */
const mayBePublished = sql`${stage} in ('armed', 'sent')`;

/** Makes an open delivery due now, or a failed one open again; false when it is published, a draft, or being worked on. */
export async function requeueDelivery(
  db: Db,
  deliveryId: string,
  { now, deadlineAt }: { now: Date; deadlineAt: Date },
): Promise<boolean> {
  const isFailed = sql`${status} = 'failed'`;
  const update = db
    .update(postDeliveries)
    .set({
      status: sql`case when ${isFailed} then 'pending' else ${status} end`,
      // A delivery that may be published is reconciled with the network before anything is sent.
      stage: sql`case when ${isFailed} and not ${mayBePublished} then 'new' else ${stage} end`,
      handle: sql`case when ${isFailed} and not ${mayBePublished} then null else ${postDeliveries.handle} end`,
      attempts: sql`case when ${isFailed} then 0 else ${attempts} end`,
      deadlineAt: sql`case when ${isFailed} then ${instant(deadlineAt)} else ${postDeliveries.deadlineAt} end`,
      nextAttemptAt: now,
      claims: 0,
      updatedAt: now,
    })
    .where(
      and(
        eq(id, deliveryId),
        isUnleased(postDeliveries, now),
        or(isFailed, and(sql`${nextAttemptAt} is not null`, ne(status, "posted"))),
      ),
    );
  return traceUpdate(db, update.returning({ id, attempts }).getSQL(), { outcome: "requeued", reason: null, now });
}

/** Ends an open delivery as failed; false when it has ended, is being worked on, or may be published. */
export async function failDelivery(
  db: Db,
  deliveryId: string,
  { reason, evenIfPublished, now }: { reason: string; evenIfPublished: boolean; now: Date },
): Promise<boolean> {
  const update = db
    .update(postDeliveries)
    .set({
      status: "failed",
      nextAttemptAt: null,
      errorCode: sql`case when ${mayBePublished} then 'outcome_unknown' else 'failed_by_operator' end`,
      errorMessage: reason,
      // A retry of what may be out begins with reconciling.
      stage: sql`case when ${mayBePublished} then ${stage} else 'done' end`,
      updatedAt: now,
    })
    .where(
      and(
        eq(id, deliveryId),
        isUnleased(postDeliveries, now),
        sql`${nextAttemptAt} is not null`,
        ne(status, "posted"),
        evenIfPublished ? undefined : sql`not ${mayBePublished}`,
      ),
    );
  return traceUpdate(db, update.returning({ id, attempts }).getSQL(), { outcome: "failed", reason, now });
}

/** Runs the update, and adds it to the trace in the same statement. It waits for a worker that is recording a step. */
async function traceUpdate(
  db: Db,
  update: SQL,
  { outcome: result, reason, now }: { outcome: string; reason: string | null; now: Date },
): Promise<boolean> {
  const { deliveryId, attempt, step, message, at } = deliveryAttempts;
  const columns = [deliveryId, attempt, step, deliveryAttempts.outcome, message, at];
  const rows = await rawQuery(
    db,
    { id: deliveryAttempts.id },
    (list) => sql`
      with updated_delivery as (${update})
      insert into ${deliveryAttempts} (${columnNames(columns)})
      select updated_delivery.id, updated_delivery.attempts, 'operator', ${result}, ${reason}, ${instant(now)}
      from updated_delivery
      returning ${list}`,
  );
  return rows.length > 0;
}
