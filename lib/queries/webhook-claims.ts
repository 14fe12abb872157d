// Due deliveries of webhooks: which are claimed, what an attempt stores, and which webhooks have some.
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { events, type WebhookAttempt, webhookDeliveries, webhooks } from "../../drizzle/schema/events.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { isSubscriberValid } from "./event-subscriptions.ts";
import { AFTER_LEASE_MS, hasLease, isUnleased, type JobClaim, NO_LEASE, takeLease, withClockSkew } from "./jobs.ts";
import { inMode } from "./scope.ts";
import {
  instant,
  json,
  jsonList,
  jsonObject,
  optionalJsonObject,
  type RowOf,
  rawQuery,
  required,
  typedAs,
} from "./sql.ts";
import { isEnabled, isSubscription, WEBHOOK_COLUMNS } from "./webhooks.ts";

const { id, webhookId, objectId, sequence, status, attempts, tries, nextAttemptAt, leaseUntil } = webhookDeliveries;

/** Later events of an object wait until an earlier one has ended, or was tried this often. */
const HELD_BACK_TRIES = 3;

const earlier = alias(webhookDeliveries, "earlier");

/** A subquery for each row, which is one lookup in an index; the planner would join all open rows. */
const isFirstOfObject: SQL = sql`(
  select 1 from ${webhookDeliveries} ${earlier}
  where ${earlier.webhookId} = ${webhookId} and ${earlier.objectId} = ${objectId} and ${earlier.sequence} < ${sequence}
    and ${earlier.nextAttemptAt} is not null and ${earlier.tries} < ${HELD_BACK_TRIES} limit 1) is null`;

const SENDER_COLUMNS = {
  ...WEBHOOK_COLUMNS,
  ...{ ownerId: webhooks.ownerId, workspaceId: webhooks.workspaceId, scopeId: required(webhooks.scopeId) },
  /** Encrypted, as is the one before. */
  secret: webhooks.secret,
  previousSecret: webhooks.previousSecret,
  previousSecretUntil: webhooks.previousSecretUntil,
  isSubscription,
};
export type SendingWebhook = RowOf<typeof SENDER_COLUMNS>;

export const EVENT_COLUMNS = {
  ...{ sequence: events.sequence, id: events.id, type: events.type, objectId: events.objectId },
  ...{ snapshot: events.snapshot, createdAt: events.createdAt },
};

/** In a join, or a subquery, of an event and a delivery of a webhook of its scope. */
export const isEventOfDelivery: SQL = sql`${events.scopeId} = ${webhooks.scopeId} and ${events.sequence} = ${sequence}
  and ${events.createdAt} = ${webhookDeliveries.eventAt} and ${events.id} = ${webhookDeliveries.eventId}`;

const CLAIMED_COLUMNS = {
  id,
  leaseToken: required(webhookDeliveries.leaseToken),
  claims: webhookDeliveries.claims,
  eventId: webhookDeliveries.eventId,
  eventAt: webhookDeliveries.eventAt,
  type: webhookDeliveries.type,
  objectId,
  attempts,
  tries,
  /** Null for a test, and once the event has left the database. */
  event: optionalJsonObject(EVENT_COLUMNS, {
    from: sql`from ${events} where ${isEventOfDelivery}`,
  }),
};
export type ClaimedWebhookDelivery = RowOf<typeof CLAIMED_COLUMNS>;

interface WebhookClaim extends JobClaim {
  webhookId: string;
  /** The most deliveries of a webhook that workers hold at a time, and the most of one whose last attempt failed. */
  most: { healthy: number; failing: number };
}

export interface WebhookClaims {
  webhook: SendingWebhook;
  deliveries: ClaimedWebhookDelivery[];
  /** Other workers hold so many of its deliveries that fewer than `limit` could be claimed. */
  isLimited: boolean;
}

/**
 * Claims due deliveries of one webhook, the longest due first; null if it is disabled or deleted. The webhook is locked first,
 * so that concurrent claims count each other; its deliveries are skipped where they are locked.
 */
export async function claimWebhookDeliveries(db: Db, request: WebhookClaim): Promise<WebhookClaims | null> {
  const isThis = and(eq(webhooks.id, request.webhookId), isEnabled, isSubscriberValid(request.now));
  const due = sql`
    select ${id} from ${webhookDeliveries}
    where ${webhookId} = ${request.webhookId} and ${nextAttemptAt} <= ${instant(withClockSkew(request.now))}
      and ${isUnleased(webhookDeliveries, request.now)} and ${isFirstOfObject}
    order by ${nextAttemptAt}, ${sequence} limit coalesce((select places from free), 0) for update skip locked`;
  const claim = db
    .update(webhookDeliveries)
    .set(takeLease(webhookDeliveries, request))
    .from(sql`due`)
    .where(eq(id, sql`due.id`))
    .returning();
  const [, [claimed]] = await db.batch([
    db.select({ id: webhooks.id }).from(webhooks).where(isThis).for("no key update"),
    rawQuery(
      db,
      {
        webhook: jsonObject(SENDER_COLUMNS),
        places: sql<number>`free.places`,
        deliveries: jsonList(CLAIMED_COLUMNS, {
          from: sql`from claimed_deliveries ${webhookDeliveries}`,
          orderBy: sql`${nextAttemptAt}, ${sequence}`,
        }),
      },
      (list) => sql`
        with free as (${selectFree(request)}), due as (${due}), claimed_deliveries as ${claim}
        select ${list} from free join ${webhooks} on ${isThis}`,
    ),
  ]);
  if (!claimed) return null;
  const { webhook, deliveries, places } = claimed;
  return { webhook, deliveries, isLimited: places < request.limit };
}

/** How many deliveries may be claimed now. */
const selectFree = ({ webhookId: webhook, now, limit, most }: WebhookClaim): SQL => sql`
  select greatest(0, least(${limit}::int, (case when ${webhooks.failingSince} is null then ${most.healthy}::int else ${most.failing}::int end)
    - ${countLeased(sql`${webhooks.id}`, now)})) as places
  from ${webhooks} where ${webhooks.id} = ${webhook} and ${isEnabled}`;

const countLeased = (webhook: SQL, now: Date): SQL => sql`(
  select count(*)::int from ${webhookDeliveries} where ${webhookId} = ${webhook} and ${leaseUntil} >= ${instant(now)})`;

export interface AttemptOutcome {
  attempt: WebhookAttempt;
  status: "pending" | "delivered" | "failed" | "aborted";
  /** Null once the delivery has ended. */
  nextAttemptAt: Date | null;
  /** Null: neither a success nor a failure of the webhook. */
  isFailure: boolean | null;
  /** A webhook that has only failed since then, or before, is disabled. */
  disableFailingSince: Date;
}

/** Of each delivery: more than three days of the schedule have. */
const MAX_ATTEMPTS_KEPT = 40;

export interface RecordedAttempt {
  /** A later delivery of the object waited for this one. */
  hasReleased: boolean;
  /** This attempt disabled the webhook. */
  hasDisabled: boolean;
}

/** Stores an attempt under the lease and ends it, in one statement. Null if the lease was lost: another worker sends again. */
export async function recordWebhookAttempt(
  db: Db,
  claimed: ClaimedWebhookDelivery,
  outcome: AttemptOutcome,
  now: Date,
): Promise<RecordedAttempt | null> {
  const kept = sql`case when jsonb_array_length(${attempts}) < ${MAX_ATTEMPTS_KEPT} then ${attempts} else ${attempts} - 0 end`;
  const update = db
    .update(webhookDeliveries)
    .set({
      ...{ attempts: sql`${kept} || ${json(outcome.attempt)}`, tries: sql`${tries} + 1`, status: outcome.status },
      ...{ nextAttemptAt: outcome.nextAttemptAt, ...NO_LEASE, claims: 0 },
    })
    .where(and(eq(id, claimed.id), hasLease(webhookDeliveries, claimed)))
    .returning({ webhookId, objectId, sequence, tries, isPending: sql`${status} = 'pending'`.as("is_pending") });
  const [recorded] = await rawQuery(
    db,
    {
      hasReleased: sql<boolean>`(not recorded.is_pending or recorded.tries >= ${HELD_BACK_TRIES}) and exists (
        select from ${webhookDeliveries} where ${webhookId} = recorded.webhook_id and ${objectId} = recorded.object_id
          and ${sequence} > recorded.sequence and ${nextAttemptAt} is not null)`,
      hasDisabled: sql<boolean>`exists (select from changed_webhook where disabled_at is not null)`,
    },
    (list) => sql`
      with recorded as ${update}, changed_webhook as (${updateHealth(outcome, now)})
      select ${list} from recorded`,
  );
  return recorded ?? null;
}

/** Most attempts change nothing: the webhook stays healthy, or is failing already. */
function updateHealth({ isFailure, disableFailingSince }: AttemptOutcome, now: Date): SQL {
  const { failingSince, disabledAt, updatedAt } = webhooks;
  const isThis = sql`${webhooks.id} = recorded.webhook_id and ${isEnabled}`;
  if (isFailure === null) return sql`select ${disabledAt} from ${webhooks} where false`;
  if (!isFailure) {
    return sql`update ${webhooks} set failing_since = null, warned_percent = 0 from recorded
      where ${isThis} and ${failingSince} is not null returning ${disabledAt}`;
  }
  const isOver = sql`coalesce(${failingSince}, ${instant(now)}) <= ${instant(disableFailingSince)}`;
  return sql`update ${webhooks} set failing_since = coalesce(${failingSince}, ${instant(now)}),
      disabled_at = case when ${isOver} then ${instant(now)} end, disabled_reason = case when ${isOver} then 'failures' end,
      updated_at = case when ${isOver} then ${instant(now)} else ${updatedAt} end
    from recorded where ${isThis} and (${failingSince} is null or ${isOver}) returning ${disabledAt}`;
}

const isDue = (now: Date): SQL => sql`${nextAttemptAt} <= ${instant(withClockSkew(now))}`;

/** The webhooks of a scope with a due delivery that a worker may claim. */
export async function listDueWebhooks(
  db: ReadOnlyDb,
  { scopeId, now, mostHeld }: { scopeId: string; now: Date; mostHeld: number },
): Promise<string[]> {
  const hasDue = sql`exists (select from ${webhookDeliveries}
    where ${webhookId} = ${webhooks.id} and ${isDue(now)} and ${isUnleased(webhookDeliveries, now)})`;
  const rows = await db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.scopeId, scopeId),
        isEnabled,
        hasDue,
        sql`${countLeased(sql`${webhooks.id}`, now)} < ${mostHeld}`,
      ),
    )
    .orderBy(asc(webhooks.id));
  return rows.map((row) => row.id);
}

export interface DueWebhooksPage {
  due: { id: string; dueAt: Date }[];
  /** The last webhook of the page; null after the last page. */
  lastId: string | null;
}

/** More than workers hold of one webhook, so that one of these waits for none, if any does. */
const FIRST_DELIVERIES = 50;

/**
 * The webhooks with deliveries that are due by `until`, and when: of `limit` webhooks with open deliveries after `afterId`. A
 * delivery that a worker holds is due when its lease ends: if the worker has crashed, nobody else would enqueue it.
 */
export async function listWebhooksDueBy(
  db: ReadOnlyDb,
  { afterId, until, limit }: { afterId: string; until: Date; limit: number },
): Promise<DueWebhooksPage> {
  const selectFirst = (after: SQL) => sql`select ${webhookId} from ${webhookDeliveries}
    where ${nextAttemptAt} is not null and ${webhookId} > ${after} order by ${webhookId} limit 1`;
  const afterLease = sql.raw(`interval '${AFTER_LEASE_MS} milliseconds'`);
  const rows = await rawQuery(
    db,
    { id: sql<string>`page.webhook_id`, dueAt: typedAs(sql`work.due_at`, nextAttemptAt) },
    (list) => sql`
      with recursive open_webhooks as (
        (${selectFirst(sql`${afterId}::uuid`)}) union all
        select (${selectFirst(sql`open_webhooks.webhook_id`)}) from open_webhooks where open_webhooks.webhook_id is not null
      ), page as (select webhook_id from open_webhooks where webhook_id is not null limit ${limit})
      select ${list} from page left join lateral (
        select min(greatest(head.next_attempt_at, head.lease_until + ${afterLease})) as due_at from ${webhooks}, lateral (
          select ${nextAttemptAt}, ${leaseUntil} from ${webhookDeliveries}
          where ${webhookId} = page.webhook_id and ${nextAttemptAt} <= ${instant(until)}
          order by ${nextAttemptAt} limit ${FIRST_DELIVERIES}) head
        where ${webhooks.id} = page.webhook_id and ${isEnabled} and ${inMode(webhooks.scopeId, null)}
      ) work on true order by page.webhook_id`,
  );
  return {
    due: rows.flatMap(({ id: webhook, dueAt }) => (dueAt && dueAt <= until ? [{ id: webhook, dueAt }] : [])),
    lastId: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  };
}

/** Deletes up to `limit` deliveries that were written before an instant, whether they have ended or not; returns how many. */
export async function deleteOldWebhookDeliveries(db: Db, before: Date, limit: number): Promise<number> {
  const deleted = await rawQuery(
    db,
    { id },
    (list) => sql`
      delete from ${webhookDeliveries} where ${id} = any(array(
        select ${id} from ${webhookDeliveries} where ${webhookDeliveries.createdAt} < ${instant(before)}
        order by ${webhookDeliveries.createdAt} limit ${limit}))
      returning ${list}`,
  );
  return deleted.length;
}
