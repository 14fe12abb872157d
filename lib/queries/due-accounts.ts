// Selects the deliveries of an account that can be served, and the accounts that have some. Claims and cron share the rule.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { WorkKind } from "../shared/work-kinds.ts";
import { AFTER_LEASE_MS, hasLease, isUnleased, NO_LEASE } from "./jobs.ts";
import { columnName, columnNames, instant, rawQuery, typedAs } from "./sql.ts";

const { id, accountId, postId, status, stage, dueAt, readyAt, nextAttemptAt, leaseUntil } = postDeliveries;

/** A delivery that has an attempt or check ahead, and when. */
export interface DueDelivery {
  id: string;
  dueAt: Date | null;
  kind: WorkKind;
}

/** The kind of work that a delivery needs next; its post is joined. */
export const workKind = sql<WorkKind>`case when ${stage} = 'sent' then 'confirmations'
  when ${posts.media}->>'type' = 'video' then 'uploads' else 'posts' end`;

/** A delivery that a network still processes holds the later ones of its account back for this long. */
const ORDER_HOLD_MS = 10 * 60_000;

/**
 * The delivery of an account that is published next, if it can be attempted by then: the earliest that no network has
 * taken yet. It holds the later ones back while it waits for its next attempt, except when a network processes it for
 * long. `freeBy` is when no worker may hold it any more, `except` is left out, as if a network had taken it. Columns: id,
 * post_id, stage, lease_until, and next_attempt_at, which is not before it is due.
 */
export function selectNextDelivery(
  account: SQL,
  { now, dueBy, freeBy = now, except }: { now: Date; dueBy: Date; freeBy?: Date; except?: string },
): SQL {
  const isReady = sql`(${nextAttemptAt} <= ${instant(dueBy)} and ${isUnleased(postDeliveries, freeBy)})`;
  const holdsFrom = instant(new Date(now.getTime() - ORDER_HOLD_MS));
  // The order of the index: the first row that fits ends the scan.
  return sql`
    select ${columnNames([id, postId, stage, leaseUntil])},
      greatest(${nextAttemptAt}, ${dueAt}) as ${columnName(nextAttemptAt)} from (
      select ${columnNames([id, postId, stage, dueAt, nextAttemptAt, leaseUntil])} from ${postDeliveries}
      where ${accountId} = ${account} and ${nextAttemptAt} is not null and ${stage} <> 'sent'
        ${except === undefined ? sql`` : sql`and ${id} <> ${except}`}
        and (${stage} <> 'started' or ${dueAt} > ${holdsFrom} or ${isReady})
      order by ${dueAt}, ${id} limit 1
    ) ${postDeliveries}
    where ${dueAt} <= ${instant(dueBy)} and ${isReady}`;
}

/**
 * What a network has taken can be checked at any time, whatever else its account does. "is true" keeps the planner from
 * reading everybody's due rows for each account.
 */
export const isDueCheck = (freeBy: Date, dueBy: Date): SQL =>
  sql`(${stage} = 'sent' and ${nextAttemptAt} is not null and (${nextAttemptAt} <= ${instant(dueBy)}) is true
    and ${isUnleased(postDeliveries, freeBy)})`;

/** What is not due yet can be prepared at any time before, whatever else its account does. */
export const isDuePreparation = (freeBy: Date, dueBy: Date): SQL =>
  sql`(${stage} in ('new', 'started') and ${status} = 'scheduled' and ${readyAt} is null and ${nextAttemptAt} is not null
    and ${dueAt} > ${instant(dueBy)} and (${nextAttemptAt} <= ${instant(dueBy)}) is true and ${isUnleased(postDeliveries, freeBy)})`;

/** Ends a lease on an account without a delivery; returns what became due on it meanwhile, to be enqueued. */
export function releaseAccount(db: Db, account: string, leaseToken: string, now: Date): Promise<DueDelivery[]> {
  const freed = db
    .update(accounts)
    .set(NO_LEASE)
    .where(and(eq(accounts.id, account), hasLease(accounts, { leaseToken })))
    .returning({ id: accounts.id });
  return rawQuery(
    db,
    { id: sql<string>`served.id`, kind: workKind, dueAt: typedAs(sql`served.next_attempt_at`, nextAttemptAt) },
    (list) => sql`
      with freed as ${freed}
      select ${list} from freed
      cross join lateral (${selectNextDelivery(sql`freed.id`, { now, dueBy: now })}) served
      join ${postDeliveries} on ${id} = served.id join ${posts} on ${posts.id} = ${postId}`,
  );
}

export interface DueAccountsPage {
  due: DueDelivery[];
  /** The last account of the page; null after the last page. */
  lastAccountId: string | null;
}

/** Of one account in one sweep; the rest follows with the next sweep. */
const MAX_CHECKS_PER_ACCOUNT = 20;
const AFTER_LEASE = sql.raw(`interval '${AFTER_LEASE_MS} milliseconds'`);
/** Longer than the preparation of any delivery begins before it is due: ends the scan of an account's queue. */
const MAX_PREPARATION_MS = 60 * 60_000;

/**
 * What can be served by `until` of `limit` accounts with open deliveries after `afterAccountId`. What a worker holds until
 * then is due when its lease ends: if the worker has crashed, nobody else would enqueue it.
 */
export async function listDueAccounts(
  db: ReadOnlyDb,
  { now, until, afterAccountId, limit }: { now: Date; until: Date; afterAccountId: string; limit: number },
): Promise<DueAccountsPage> {
  const first = (after: SQL) => sql`select ${accountId} from ${postDeliveries}
    where ${nextAttemptAt} is not null and ${accountId} > ${after} order by ${accountId} limit 1`;
  const next = selectNextDelivery(sql`${accounts.id}`, { now, dueBy: until, freeBy: until });
  const rows = await rawQuery(
    db,
    {
      accountId: sql<string>`page.account_id`,
      id: sql<string | null>`served.id`,
      kind: sql<WorkKind>`served.kind`,
      dueAt: typedAs(sql`served.next_attempt_at`, nextAttemptAt),
    },
    (list) => sql`
      with recursive open_accounts as (
        (${first(sql`${afterAccountId}::uuid`)})
        union all
        select (${first(sql`open_accounts.account_id`)}) from open_accounts where open_accounts.account_id is not null
      ), page as (select account_id from open_accounts where account_id is not null limit ${limit})
      select ${list} from page
      left join lateral (
        select ${id}, greatest(${nextAttemptAt}, ${leaseUntil} + ${AFTER_LEASE}) as next_attempt_at, ${workKind} as kind from (
          (select next.id, next.post_id, next.stage, next.next_attempt_at, greatest(next.lease_until, ${accounts.leaseUntil}) as lease_until
            from ${accounts} cross join lateral (${next}) next
            where ${accounts.id} = page.account_id and ${isUnleased(accounts, until)})
          union all
          (select ${id}, ${postId}, ${stage}, ${nextAttemptAt}, ${leaseUntil} from ${postDeliveries}
            where ${accountId} = page.account_id and ${isDueCheck(until, until)}
            order by ${dueAt}, ${id} limit ${MAX_CHECKS_PER_ACCOUNT})
          union all
          (select ${id}, ${postId}, ${stage}, ${nextAttemptAt}, ${leaseUntil} from ${postDeliveries}
            where ${accountId} = page.account_id and ${stage} <> 'sent' and ${dueAt} > ${instant(now)}
              and ${dueAt} < ${instant(new Date(now.getTime() + MAX_PREPARATION_MS))} and ${isDuePreparation(until, until)}
            order by ${dueAt}, ${id} limit ${MAX_CHECKS_PER_ACCOUNT})
        ) ${postDeliveries} join ${posts} on ${posts.id} = ${postId}
      ) served on true
      order by page.account_id`,
  );
  const due = rows.flatMap(({ id, kind, dueAt }) => (id === null ? [] : [{ id, kind, dueAt }]));
  const seen = new Set(rows.map((row) => row.accountId));
  return { due, lastAccountId: seen.size < limit ? null : (rows.at(-1)?.accountId ?? null) };
}
