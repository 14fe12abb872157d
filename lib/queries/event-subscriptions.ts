// Subscriptions of MCP Events: webhooks of a key or grant, which they end with. They are sent, retried and disabled as webhooks are.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { webhookDeliveries, webhooks } from "../../drizzle/schema/events.ts";
import { apiKeys, grants } from "../../drizzle/schema/keys.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { selectEnd } from "./events.ts";
import { inScope } from "./scope.ts";
import { columnNames, instant, rawCommand, rawQuery, textArray, uuidArray } from "./sql.ts";
import { MAX_WEBHOOKS } from "./webhooks.ts";

const { id, subscriberId, expiresAt, url, secret } = webhooks;
const stored = alias(webhooks, "stored");

/** A key sees all subscriptions of its own, whatever accounts they are about, and counts those of others. */
const ofTenant = ({ id: tenantId }: Scope) => ({ id: tenantId });

/** Keys and grants end in real time, also those of test mode. */
const isValid = (table: typeof apiKeys | typeof grants): SQL => sql`exists (
  select 1 from ${table} where ${table.id} = ${subscriberId} and ${table.revokedAt} is null
    and (${table.expiresAt} is null or ${table.expiresAt} > now()))`;

/** Of a webhook that ends with no key or grant, always. */
export const isSubscriberValid = (now: Date): SQL => sql`(${subscriberId} is null
  or (${expiresAt} is null or ${expiresAt} > ${instant(now)}) and (${isValid(apiKeys)} or ${isValid(grants)}))`;

export interface SubscriptionKey {
  id: string;
  /** The id of the key or grant. */
  subscriberId: string;
  url: string;
}

const isThis = (scope: Scope, key: Omit<SubscriptionKey, "url">): SQL | undefined =>
  and(eq(id, key.id), eq(subscriberId, key.subscriberId), inScope(webhooks, ofTenant(scope)));

/** The stored subscription, with everything else that is needed to renew it. */
export async function findSubscription(db: ReadOnlyDb, scope: Scope, key: SubscriptionKey, now: Date) {
  const [row] = await rawQuery(
    db,
    {
      /** Encrypted. Null: there is no such subscription. */
      secret: sql<string | null>`${stored.secret}`,
      isDisabled: sql<boolean>`${stored.disabledAt} is not null`,
      /** The subscriber has another subscription to the URL, so that its owner has agreed. */
      isVerified: sql<boolean>`exists (select 1 from ${webhooks} where ${inScope(webhooks, ofTenant(scope))}
        and ${subscriberId} = ${key.subscriberId}::uuid and ${expiresAt} is not null and ${url} = ${key.url})`,
      hasOpen: sql<boolean>`exists (select 1 from ${webhookDeliveries} where ${webhookDeliveries.webhookId} = ${key.id}::uuid
        and ${webhookDeliveries.nextAttemptAt} is not null)`,
      endId: selectEnd(scope, now),
    },
    (list) => sql`select ${list} from (select 1) one left join ${webhooks} ${stored}
      on ${stored.id} = ${key.id}::uuid and ${stored.subscriberId} = ${key.subscriberId}::uuid and ${inScope(stored, ofTenant(scope))}`,
  );
  if (!row) throw new Error("the database returned no row");
  return row;
}

export interface StoredSubscription extends SubscriptionKey {
  type: string;
  accountIds: readonly string[] | null;
  description: string;
  /** Encrypted. */
  secret: string;
  /** Still signs until then. */
  previous: { secret: string; until: Date } | null;
  expiresAt: Date;
  now: Date;
}

/** Creates or renews it; a renewed one is sent again what waits. False if the scope has MAX_WEBHOOKS already. */
export async function saveSubscription(db: Db, scope: Scope, subscription: StoredSubscription): Promise<boolean> {
  const { now, previous, accountIds } = subscription;
  const inserted = [
    ...[id, webhooks.ownerId, webhooks.workspaceId, webhooks.accountIds, url, webhooks.types, webhooks.description],
    ...[secret, subscriberId, expiresAt, webhooks.createdAt, webhooks.updatedAt],
  ];
  const [, saved] = await db.batch([
    rawCommand(db, sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks:${scope.id}`}::text, 0))`),
    rawQuery(
      db,
      { id },
      (list) => sql`
        with saved as (
          insert into ${webhooks} (${columnNames(inserted)})
          select ${subscription.id}::uuid, ${scope.ownerId}::uuid, ${scope.workspaceId}::uuid,
            ${accountIds ? uuidArray(accountIds) : sql`null`}, ${subscription.url}, ${textArray([subscription.type])},
            ${subscription.description}, ${subscription.secret}, ${subscription.subscriberId}::uuid,
            ${instant(subscription.expiresAt)}, ${instant(now)}, ${instant(now)}
          where exists (select 1 from ${webhooks} where ${id} = ${subscription.id}::uuid)
            or (select count(*) from ${webhooks} where ${inScope(webhooks, ofTenant(scope))}) < ${MAX_WEBHOOKS}
          on conflict (id) do update set url = excluded.url, types = excluded.types, account_ids = excluded.account_ids,
            description = excluded.description, secret = excluded.secret, expires_at = excluded.expires_at, updated_at = excluded.updated_at,
            previous_secret = ${previous?.secret ?? null}, previous_secret_until = ${previous ? instant(previous.until) : sql`null`},
            disabled_at = null, disabled_reason = null, failing_since = null, warned_percent = 0
          where ${inScope(webhooks, ofTenant(scope))} returning id)
        select ${list} from saved ${webhooks}`,
    ),
  ]);
  return saved.length > 0;
}

/** False if the subscriber has no such subscription. */
export async function deleteSubscription(db: Db, scope: Scope, key: Omit<SubscriptionKey, "url">): Promise<boolean> {
  const deleted = await db.delete(webhooks).where(isThis(scope, key)).returning({ id });
  return deleted.length > 0;
}

/** Deletes subscriptions that were not renewed, and all that ends with a key or grant that is no longer valid. */
export async function deleteEndedWebhooks(db: Db, now: Date): Promise<void> {
  await db.delete(webhooks).where(and(isNotNull(subscriberId), sql`not ${isSubscriberValid(now)}`));
}
