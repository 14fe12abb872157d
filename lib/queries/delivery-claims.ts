// Claims of due deliveries: the rows that a worker locks, and the lease that it takes on them.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db } from "../services/database.ts";
import { CLAIMED_COLUMNS, type ClaimedDelivery, CONNECTION } from "./deliveries.ts";
import { isDueCheck, isDuePreparation, nextDelivery, selectNextDelivery, workKind } from "./due-accounts.ts";
import { isUnleased, type JobClaim, takeLease, withClockSkew } from "./jobs.ts";
import { instant, rawQuery, uuidArray } from "./sql.ts";

const { id, accountId, postId, status, dueAt, nextAttemptAt } = postDeliveries;

export interface DeliveryClaim extends JobClaim {
  /** The deliveries to check; posts are published on their accounts. */
  ids: string[];
  /** Leaves uploads to the consumers of their queue. */
  withoutUploads: boolean;
}

/**
 * Claims due deliveries. Of an account at most one is published at a time, the earliest first, and the account is leased
 * with it. Deliveries that a network has accepted are only checked, and those that are not due only prepared: neither waits.
 * A claim waits for nobody: rows that another claim, step or edit has locked are skipped, and enqueued again by the sweep.
 */
export function claimDeliveries(db: Db, request: DeliveryClaim): Promise<ClaimedDelivery[]> {
  // Without a cached plan its planning takes longer than its execution, so the statement joins as little as it can.
  return rawQuery(
    db,
    CLAIMED_COLUMNS,
    (list) => sql`
      with requested_accounts as (
          select distinct ${accountId} from ${postDeliveries} where ${id} = any(${uuidArray(request.ids)})
        ), publishable_deliveries as (${lockPublishable(request)}), checkable_deliveries as (${lockCheckable(request)}),
        locked_deliveries as (select * from publishable_deliveries union all select * from checkable_deliveries),
        leased_accounts as ${leaseAccounts(db, request)}
      ${leaseDeliveries(db, request).getSQL()} returning ${list}`,
  );
}

/**
 * The next delivery of each account, with both rows locked. The account is read where it is locked: another worker may
 * have stored a new token since the statement began.
 */
function lockPublishable({ now, limit, withoutUploads }: DeliveryClaim): SQL {
  const soon = withClockSkew(now);
  const isNoUpload = sql`exists (select from ${posts} where ${posts.id} = ${postId} and ${workKind} <> 'uploads')`;
  return sql`
    select ${id}, ${accountId}, true as holds_account, ${accounts.scopeId}, ${CONNECTION} as account
    from requested_accounts
    cross join lateral (${selectNextDelivery(sql`requested_accounts.account_id`, { now, dueBy: soon })}) ${nextDelivery}
    join ${postDeliveries} on ${id} = ${nextDelivery.id} join ${accounts} on ${accounts.id} = requested_accounts.account_id
    where ${nextAttemptAt} <= ${instant(soon)} and ${isUnleased(postDeliveries, now)} and ${isUnleased(accounts, now)}
      ${withoutUploads ? sql`and ${isNoUpload}` : sql``}
    order by ${dueAt} limit ${limit}
    for no key update of ${accounts}, ${postDeliveries} skip locked`;
}

/** Deliveries that are checked or prepared. Their accounts are not locked: another delivery may be published meanwhile. */
function lockCheckable({ ids, now, limit }: DeliveryClaim): SQL {
  const soon = withClockSkew(now);
  return sql`
    select ${id}, ${accountId}, false, ${accounts.scopeId}, ${CONNECTION} from ${postDeliveries}
    join ${accounts} on ${accounts.id} = ${accountId}
    where ${id} = any(${uuidArray(ids)}) and (${isDueCheck(now, soon)} or ${isDuePreparation(now, soon)}) is true
    limit ${limit} for no key update of ${postDeliveries} skip locked`;
}

const leaseAccounts = (db: Db, { leaseToken, leaseUntil }: DeliveryClaim) =>
  db
    .update(accounts)
    .set({ leaseToken, leaseUntil })
    .from(sql`publishable_deliveries`)
    .where(eq(accounts.id, sql`publishable_deliveries.account_id`));

function leaseDeliveries(db: Db, request: DeliveryClaim) {
  const now = instant(request.now);
  const isDue = sql`${dueAt} <= ${instant(withClockSkew(request.now))}`;
  return db
    .update(postDeliveries)
    .set({
      ...takeLease(postDeliveries, request),
      claimedAt: sql`coalesce(${postDeliveries.claimedAt}, ${now})`,
      lastAttemptedAt: sql`case when ${isDue} then ${now} else ${postDeliveries.lastAttemptedAt} end`,
      updatedAt: request.now,
      status: sql`case when ${status} = 'scheduled' and ${isDue} then 'pending' else ${status} end`,
    })
    .from(sql`locked_deliveries, ${posts}`)
    .where(and(eq(id, sql`locked_deliveries.id`), eq(posts.id, postId)));
}
