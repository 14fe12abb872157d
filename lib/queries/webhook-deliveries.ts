// Deliveries of a webhook: listed, written for a test, made due again by a redelivery or a replay.
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { events, webhookDeliveries, webhooks } from "../../drizzle/schema/events.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { encodeCursor } from "../shared/cursor.ts";
import { TEST_EVENT_TYPE } from "../shared/event-types.ts";
import type { Scope } from "../shared/scope.ts";
import { EVERY_TYPE } from "../shared/webhook-secret.ts";
import { type EventPosition, isPositionKept } from "./events.ts";
import { type Read, readFirst, toRead } from "./read.ts";
import { inScope } from "./scope.ts";
import { columnName, columnNames, instant, optionalJsonObject, type RowOf, rawQuery } from "./sql.ts";
import { EVENT_COLUMNS, isEventOfDelivery } from "./webhook-claims.ts";
import { isSubscription, WEBHOOK_COLUMNS } from "./webhooks.ts";

const { id, webhookId, eventId, sequence, eventAt, type, objectId, status, attempts, nextAttemptAt } =
  webhookDeliveries;

const LISTED_COLUMNS = { id, eventId, type, status, attempts, nextAttemptAt };
export type ListedDelivery = RowOf<typeof LISTED_COLUMNS>;
export type DeliveryStatus = ListedDelivery["status"];

/** The webhook of a request, as `webhook`; no row if it does not belong to the scope. */
const selectWebhook = (scope: Scope, webhook: string): SQL => sql`
  select ${webhooks.id}, ${webhooks.types}, ${webhooks.accountIds}, ${webhooks.disabledAt} is not null as is_disabled from ${webhooks}
  where ${and(eq(webhooks.id, webhook), inScope(webhooks, scope))}`;

interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  /** The event of the last delivery of the page before. */
  cursor?: string | undefined;
  limit: number;
}

/** A page, that of the newest event first; null if the webhook does not belong to the scope. */
export function listWebhookDeliveries(
  db: ReadOnlyDb,
  scope: Scope,
  webhook: string,
  { status: wanted, cursor, limit }: DeliveryFilter,
): Read<{ deliveries: ListedDelivery[]; nextCursor: string | null } | null> {
  const isWanted = and(
    eq(webhookId, webhook),
    wanted && eq(status, wanted),
    // The condition of an index, whose rows are few.
    wanted === "failed" || wanted === "aborted" ? sql`${status} in ('failed', 'aborted')` : undefined,
    cursor === undefined ? undefined : lt(eventId, cursor),
  );
  return toRead(
    db,
    [
      rawQuery(
        db,
        { id: webhooks.id },
        (list) => sql`select ${list} from (${selectWebhook(scope, webhook)}) ${webhooks}`,
      ),
      db
        .select(LISTED_COLUMNS)
        .from(webhookDeliveries)
        .where(isWanted)
        .orderBy(desc(eventId))
        .limit(limit + 1),
    ],
    ([found, rows]) => {
      if (found.length === 0) return null;
      const deliveries = rows.slice(0, limit);
      const last = rows.length > limit ? deliveries.at(-1) : undefined;
      return { deliveries, nextCursor: last ? encodeCursor([last.eventId]) : null };
    },
  );
}

const SENT_COLUMNS = { ...LISTED_COLUMNS, eventAt, objectId };

/** A delivery with what its body is made of; null if it, or its webhook, does not belong to the scope. */
export function findWebhookDelivery(db: ReadOnlyDb, scope: Scope, webhook: string, deliveryId: string) {
  const query = db
    .select({
      webhook: { ...WEBHOOK_COLUMNS, workspaceId: webhooks.workspaceId, isSubscription },
      delivery: SENT_COLUMNS,
      /** Null for a test, and once the event has left the database. */
      event: EVENT_COLUMNS,
    })
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookId))
    .leftJoin(events, isEventOfDelivery)
    .where(and(inScope(webhooks, scope), eq(webhookId, webhook), eq(id, deliveryId)));
  return readFirst(db, query);
}

/** What a request found: its webhook, and the delivery that it wrote or made due. */
export interface RequestedDelivery {
  isDisabled: boolean;
  delivery: ListedDelivery | null;
}

const REQUESTED = {
  isDisabled: sql<boolean>`webhook.is_disabled`,
  delivery: optionalJsonObject(LISTED_COLUMNS, { from: sql`from requested_delivery ${webhookDeliveries}` }),
};

/** A delivery of no event. Null if the webhook does not belong to the scope; a disabled one gets none. */
export async function insertTestDelivery(
  db: Db,
  scope: Scope,
  webhook: string,
  test: { id: string; eventId: string; now: Date },
): Promise<RequestedDelivery | null> {
  const inserted = [id, webhookId, eventId, sequence, eventAt, type, objectId, nextAttemptAt];
  const now = instant(test.now);
  const [row] = await rawQuery(
    db,
    REQUESTED,
    (list) => sql`
      with webhook as (${selectWebhook(scope, webhook)}), new_delivery as (
        insert into ${webhookDeliveries} (${columnNames(inserted)})
        select ${test.id}::uuid, webhook.id, ${test.eventId}::uuid, 0, ${now}, ${TEST_EVENT_TYPE}, webhook.id, ${now}
        from webhook where not webhook.is_disabled on conflict (id) do nothing returning *
      ), requested_delivery as (
        select * from new_delivery union all
        select ${webhookDeliveries}.* from ${webhookDeliveries}, webhook where ${id} = ${test.id} and ${webhookId} = webhook.id
      )
      select ${list} from webhook`,
  );
  return row ?? null;
}

/** The next attempt is the first of its schedule. A worker that holds the delivery may still end it. */
const restart = (now: Date): SQL => sql`
  ${columnName(status)} = 'pending', ${columnName(webhookDeliveries.tries)} = 0,
  ${columnName(webhookDeliveries.claims)} = 0, ${columnName(nextAttemptAt)} = ${instant(now)}`;

/** Null if the webhook does not belong to the scope; without a delivery if it has no such one. A disabled webhook changes none. */
export async function restartDelivery(
  db: Db,
  scope: Scope,
  webhook: string,
  deliveryId: string,
  now: Date,
): Promise<RequestedDelivery | null> {
  const [row] = await rawQuery(
    db,
    REQUESTED,
    (list) => sql`
      with webhook as (${selectWebhook(scope, webhook)}), requested_delivery as (
        update ${webhookDeliveries} set ${restart(now)} from webhook
        where ${id} = ${deliveryId} and ${webhookId} = webhook.id and not webhook.is_disabled
        returning ${webhookDeliveries}.*
      )
      select ${list} from webhook`,
  );
  return row ?? null;
}

const page = alias(events, "page");

interface ReplayRequest {
  /** Null for the oldest event of the feed. */
  after: EventPosition | null;
  /** Older events are no longer in the feed. */
  keptFrom: Date;
  limit: number;
  now: Date;
}

export interface Replay {
  isDisabled: boolean;
  /** False when the event `after` is not, or no longer, in the feed. */
  isAfterKept: boolean;
  oldestId: string | null;
  replayed: number;
  /** The last event that is sent again; null if there is none. */
  lastId: string | null;
  hasMore: boolean;
}

/**
 * Makes up to `limit` events of the feed due again, in its order; those that the webhook never got are new deliveries. One
 * statement. Null if the webhook does not belong to the scope; a disabled one gets none.
 */
export async function replayEvents(
  db: Db,
  scope: Scope,
  webhook: string,
  { after, keptFrom, limit, now }: ReplayRequest,
): Promise<Replay | null> {
  const isKept = sql`${inScope(events, scope)} and ${events.createdAt} > ${instant(keptFrom)}`;
  const isAfter = sql`${events.sequence} > ${after?.sequence ?? 0}`;
  const isWanted = sql`(${EVERY_TYPE} = any(webhook.types) or ${events.type} = any(webhook.types))
    and (webhook.account_ids is null or ${events.accountIds} is null or ${events.accountIds} <@ webhook.account_ids)`;
  const isAfterKept = after ? isPositionKept(scope, after, { keptFrom, now }) : sql<boolean>`true`;
  const inserted = [id, webhookId, eventId, sequence, eventAt, type, objectId, nextAttemptAt];
  const [row] = await rawQuery(
    db,
    {
      isDisabled: sql<boolean>`webhook.is_disabled`,
      isAfterKept,
      oldestId: sql<
        string | null
      >`(select ${events.id} from ${events} where ${isKept} order by ${events.sequence} limit 1)`,
      replayed: sql<number>`(select count(*)::int from replayed_deliveries)`,
      lastId: sql<string | null>`(select event_id from replayed_deliveries order by event_id desc limit 1)`,
      hasMore: sql<boolean>`(select count(*) > ${limit} from ${page})`,
    },
    (list) => sql`
      with webhook as (${selectWebhook(scope, webhook)}), page as (
        select ${events}.* from ${events}, webhook
        where not webhook.is_disabled and ${isKept} and ${isAfter} and ${isWanted} and ${isAfterKept}
        order by ${events.sequence} limit ${limit + 1}
      ), replayed_deliveries as (
        insert into ${webhookDeliveries} (${columnNames(inserted)})
        select gen_random_uuid(), webhook.id, ${page.id}, ${page.sequence}, ${page.createdAt}, ${page.type},
          ${page.objectId}, ${instant(now)}
        from (select * from ${page} order by ${page.sequence} limit ${limit}) ${page}, webhook
        on conflict (${columnNames([webhookId, eventId])}) do update set ${restart(now)}
        returning ${columnName(eventId)}
      )
      select ${list} from webhook`,
  );
  return row ?? null;
}
