// Selects the deliveries of an account that have work due, and the accounts that have some. Claims and cron share the rule.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias, type PgColumn } from "drizzle-orm/pg-core";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { WorkKind } from "../shared/work-kinds.ts";
import { AFTER_LEASE_MS, hasLease, isUnleased, NO_LEASE } from "./jobs.ts";
import { isAccountInMode } from "./scope.ts";
import { columnName, columnNames, instant, rawQuery, typedAs } from "./sql.ts";

const { id, accountId, postId, status, stage, dueAt, readyAt, nextAttemptAt, leaseUntil } = postDeliveries;

/** A delivery that has an attempt or check ahead, and when. */
export interface DueDelivery {
  id: string;
  dueAt: Date | null;
  kind: WorkKind;
}

type DeliveryTable = Record<"stage" | "dueAt" | "nextAttemptAt" | "leaseUntil", PgColumn>;

/** A video of one account, or of a part of a thread. */
const A_VIDEO = sql`'[{"media": {"type": "video"}}]'`;

export const getWorkKind = (deliveries: Pick<DeliveryTable, "stage">) =>
  sql<WorkKind>`case when ${deliveries.stage} = 'sent' then 'confirmations'
    when ${posts.media}->>'type' = 'video' or ${posts.overrides} @> ${A_VIDEO} or ${posts.thread} @> ${A_VIDEO}
    then 'uploads' else 'posts' end`;

/** The kind of work that a delivery needs next; its post is joined. */
export const workKind = getWorkKind(postDeliveries);

/** A delivery that a network still processes holds the later ones of its account back for this long. */
const ORDER_HOLD_MS = 10 * 60_000;

interface Attempt {
  now: Date;
  dueBy: Date;
  /** When no worker may hold the delivery any more; `now` by default. */
  freeBy?: Date;
  /** A delivery that is left out, as if a network had accepted it. */
  except?: string;
}

const head = alias(postDeliveries, "head");

/** A row of `selectNextDelivery`, as a subquery of this name. */
export const nextDelivery = alias(postDeliveries, "next_delivery");

/** The columns of a delivery that are enqueued; its post is joined. */
export const NEXT_COLUMNS = {
  id: nextDelivery.id,
  kind: getWorkKind(nextDelivery),
  dueAt: nextDelivery.nextAttemptAt,
};

/**
 * The delivery of an account that is published next, if it can be attempted by then: the earliest that no network has
 * accepted yet. Columns: id, post_id, stage, lease_until, and next_attempt_at, which is not before it is due.
 */
export function selectNextDelivery(account: SQL, attempt: Attempt): SQL {
  return sql`
    select ${columnNames([id, postId, stage, leaseUntil])},
      greatest(${head.nextAttemptAt}, ${head.dueAt}) as ${columnName(nextAttemptAt)}
    from (${selectHead(account, attempt)}) ${head}
    where ${head.dueAt} <= ${instant(attempt.dueBy)} and ${isReady(head, attempt)}`;
}

/**
 * The first delivery in the queue of an account. It holds the later ones back while it waits for its next attempt, except
 * when a network processes it for long, or its post is out and only a first comment is left. The order is that of the index: the first row that fits ends the scan.
 */
function selectHead(account: SQL, attempt: Attempt): SQL {
  const holdsFrom = instant(new Date(attempt.now.getTime() - ORDER_HOLD_MS));
  return sql`
    select ${columnNames([id, postId, stage, dueAt, nextAttemptAt, leaseUntil])} from ${postDeliveries}
    where ${accountId} = ${account} and ${nextAttemptAt} is not null and ${stage} <> 'sent'
      ${attempt.except === undefined ? sql`` : sql`and ${id} <> ${attempt.except}`}
      and ((${stage} <> 'started' or ${dueAt} > ${holdsFrom}) and ${status} <> 'posted' or ${isReady(postDeliveries, attempt)})
    order by ${dueAt}, ${id} limit 1`;
}

const isReady = (deliveries: DeliveryTable, { now, dueBy, freeBy = now }: Attempt): SQL =>
  sql`(${deliveries.nextAttemptAt} <= ${instant(dueBy)} and ${isUnleased(deliveries, freeBy)})`;

/**
 * A delivery that a network has accepted can be checked at any time, whatever else its account does. "is true" keeps the
 * planner from reading everybody's due rows for each account.
 */
export const isDueCheck = (freeBy: Date, dueBy: Date): SQL =>
  sql`(${stage} = 'sent' and ${nextAttemptAt} is not null and (${nextAttemptAt} <= ${instant(dueBy)}) is true
    and ${isUnleased(postDeliveries, freeBy)})`;

/** A delivery that is not due yet can be prepared at any time before, whatever else its account does. */
export const isDuePreparation = (freeBy: Date, dueBy: Date): SQL =>
  sql`(${stage} in ('new', 'started') and ${status} = 'scheduled' and ${readyAt} is null and ${nextAttemptAt} is not null
    and ${dueAt} > ${instant(dueBy)} and (${nextAttemptAt} <= ${instant(dueBy)}) is true and ${isUnleased(postDeliveries, freeBy)})`;

/**
 * Ends a lease on an account without a delivery; returns the delivery that became due on it meanwhile, to be enqueued. It
 * locks the account only: a claim that runs at the same time skips the account, and the returned delivery is claimed later.
 */
export function releaseAccount(db: Db, account: string, leaseToken: string, now: Date): Promise<DueDelivery[]> {
  const release = db
    .update(accounts)
    .set(NO_LEASE)
    .where(and(eq(accounts.id, account), hasLease(accounts, { leaseToken })))
    .returning({ id: accounts.id });
  return rawQuery(
    db,
    NEXT_COLUMNS,
    (list) => sql`
      with free_account as ${release}
      select ${list} from free_account
      cross join lateral (${selectNextDelivery(sql`free_account.id`, { now, dueBy: now })}) ${nextDelivery}
      join ${posts} on ${posts.id} = ${nextDelivery.postId}`,
  );
}

export interface DueAccountsPage {
  due: DueDelivery[];
  /** The last account of the page; null after the last page. */
  lastAccountId: string | null;
}

interface DueAccountsQuery {
  now: Date;
  until: Date;
  afterAccountId: string;
  limit: number;
}

/**
 * The deliveries that can be attempted, checked or prepared by `until`, of `limit` accounts with open deliveries after
 * `afterAccountId`. A delivery that a worker holds until then is due when its lease ends: if the worker has crashed, nobody
 * else would enqueue it. Test scopes have a sweep of their own. The query locks nothing and waits for nobody; a claim decides again.
 */
export async function listDueAccounts(db: ReadOnlyDb, query: DueAccountsQuery): Promise<DueAccountsPage> {
  const rows = await rawQuery(
    db,
    {
      accountId: sql<string>`page.account_id`,
      id: sql<string | null>`work.id`,
      kind: sql<WorkKind>`work.kind`,
      dueAt: typedAs(sql`work.next_attempt_at`, nextAttemptAt),
    },
    (list) => sql`
      with recursive open_accounts as (${selectOpenAccounts(query.afterAccountId)}),
        page as (select account_id from open_accounts where account_id is not null limit ${query.limit})
      select ${list} from page left join lateral (${selectWork(query)}) work on ${isAccountInMode(sql`page.account_id`, null)}
      order by page.account_id`,
  );
  const due = rows.flatMap(({ id, kind, dueAt }) => (id === null ? [] : [{ id, kind, dueAt }]));
  const seen = new Set(rows.map((row) => row.accountId));
  return { due, lastAccountId: seen.size < query.limit ? null : (rows.at(-1)?.accountId ?? null) };
}

/** The accounts with open deliveries in the order of their ids: one index lookup for each, not a scan of its deliveries. */
function selectOpenAccounts(afterAccountId: string): SQL {
  const selectFirst = (after: SQL) => sql`select ${accountId} from ${postDeliveries}
    where ${nextAttemptAt} is not null and ${accountId} > ${after} order by ${accountId} limit 1`;
  return sql`(${selectFirst(sql`${afterAccountId}::uuid`)})
    union all
    select (${selectFirst(sql`open_accounts.account_id`)}) from open_accounts where open_accounts.account_id is not null`;
}

const AFTER_LEASE = sql.raw(`interval '${AFTER_LEASE_MS} milliseconds'`);
const open = alias(postDeliveries, "open_delivery");

/** The work on the account of a row of `page`. */
function selectWork(query: DueAccountsQuery): SQL {
  return sql`
    select ${open.id}, greatest(${open.nextAttemptAt}, ${open.leaseUntil} + ${AFTER_LEASE}) as next_attempt_at,
      ${getWorkKind(open)} as kind
    from ((${selectAttempt(query)}) union all (${selectChecks(query)}) union all (${selectPreparations(query)})) ${open}
    join ${posts} on ${posts.id} = ${open.postId}`;
}

/** The delivery that is published next on the account. */
function selectAttempt({ now, until }: DueAccountsQuery): SQL {
  const next = selectNextDelivery(sql`${accounts.id}`, { now, dueBy: until, freeBy: until });
  return sql`
    select ${nextDelivery.id}, ${nextDelivery.postId}, ${nextDelivery.stage}, ${nextDelivery.nextAttemptAt},
      greatest(${nextDelivery.leaseUntil}, ${accounts.leaseUntil}) as lease_until
    from ${accounts} cross join lateral (${next}) ${nextDelivery}
    where ${accounts.id} = page.account_id and ${isUnleased(accounts, until)}`;
}

/** Of one account in one sweep; the rest follows with the next sweep. */
const MAX_CHECKS_PER_ACCOUNT = 20;

const selectChecks = ({ until }: DueAccountsQuery): SQL => selectDeliveries(isDueCheck(until, until));

/** Longer than the preparation of any delivery begins before it is due: ends the scan of an account's queue. */
const MAX_PREPARATION_MS = 60 * 60_000;

const selectPreparations = ({ now, until }: DueAccountsQuery): SQL =>
  selectDeliveries(sql`${stage} <> 'sent' and ${dueAt} > ${instant(now)}
    and ${dueAt} < ${instant(new Date(now.getTime() + MAX_PREPARATION_MS))} and ${isDuePreparation(until, until)}`);

const selectDeliveries = (condition: SQL): SQL => sql`
  select ${id}, ${postId}, ${stage}, ${nextAttemptAt}, ${leaseUntil} from ${postDeliveries}
  where ${accountId} = page.account_id and ${condition} order by ${dueAt}, ${id} limit ${MAX_CHECKS_PER_ACCOUNT}`;
