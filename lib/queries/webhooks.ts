// Webhooks of a scope. What they are sent is in webhook-deliveries.ts, how it is claimed in webhook-claims.ts.
import { and, asc, eq, gt, isNotNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { webhooks } from "../../drizzle/schema/events.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Scope } from "../shared/scope.ts";
import { type Read, readFirst, readRows } from "./read.ts";
import { inScope } from "./scope.ts";
import { columnNames, instant, type RowOf, rawCommand, rawQuery, required, textArray, uuidArray } from "./sql.ts";

export const MAX_WEBHOOKS = 20;

const { id, ownerId, workspaceId, scopeId, url, types, description, secret, disabledAt, createdAt } = webhooks;

export const WEBHOOK_COLUMNS = {
  ...{ id, url, types, description, disabledAt, createdAt },
  ...{ failingSince: webhooks.failingSince, disabledReason: webhooks.disabledReason, updatedAt: webhooks.updatedAt },
};
export type WebhookRow = RowOf<typeof WEBHOOK_COLUMNS>;

export const isEnabled: SQL = sql`${disabledAt} is null`;

/** In a select list: a subscription of MCP Events. */
export const isSubscription: SQL<boolean> = sql<boolean>`${webhooks.expiresAt} is not null`;

const isOwn = (scope: Scope, webhookId: string): SQL | undefined => and(inScope(webhooks, scope), eq(id, webhookId));

/** In a select list: the scope of the row has a webhook that receives its events. */
export const hasWebhooks = (scope: PgColumn): SQL<boolean> =>
  sql<boolean>`exists (select from ${webhooks} where ${scopeId} = ${scope} and ${isEnabled})`;

interface FailingQuery {
  /** Enabled webhooks are listed that have failed since before this, and whose people were not told so. */
  warnings: { percent: number; before: Date }[];
  /** Webhooks are listed that failures have disabled after this. */
  disabledAfter: Date;
  limit: number;
}

/** Webhooks whose people have to be told of failures. */
export function listFailingWebhooks(db: ReadOnlyDb, { warnings, disabledAfter, limit }: FailingQuery) {
  const { failingSince, warnedPercent, disabledReason } = webhooks;
  const isUnwarned = warnings.map(({ percent, before }) =>
    and(isEnabled, lte(failingSince, before), lt(warnedPercent, percent)),
  );
  const isDisabled = and(isNotNull(failingSince), eq(disabledReason, "failures"), gt(disabledAt, disabledAfter));
  return db
    .select({ id, scopeId: required(scopeId), url, failingSince: required(failingSince), disabledAt })
    .from(webhooks)
    .where(or(...isUnwarned, isDisabled))
    .orderBy(asc(failingSince))
    .limit(limit);
}

export interface NewWebhook {
  id: string;
  url: string;
  types: string[];
  description: string | null;
  /** Encrypted. */
  secret: string;
  /** The grant that it ends with. */
  subscriberId: string | null;
  createdAt: Date;
}

const STORED_COLUMNS = { ...WEBHOOK_COLUMNS, secret };
export type StoredWebhook = RowOf<typeof STORED_COLUMNS>;

/**
 * Null if the scope has MAX_WEBHOOKS already. An existing id means that the request is a retry, whose secret is the stored one.
 * They are counted under a lock, so that concurrent requests cannot exceed the limit.
 */
export async function insertWebhook(db: Db, scope: Scope, webhook: NewWebhook): Promise<StoredWebhook | null> {
  const inserted = [
    id,
    ownerId,
    workspaceId,
    webhooks.accountIds,
    url,
    types,
    description,
    secret,
    webhooks.subscriberId,
    createdAt,
    webhooks.updatedAt,
  ];
  const [, [row]] = await db.batch([
    rawCommand(db, sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks:${scope.id}`}::text, 0))`),
    rawQuery(
      db,
      STORED_COLUMNS,
      (list) => sql`
        with new_webhook as (
          insert into ${webhooks} (${columnNames(inserted)})
          select ${webhook.id}::uuid, ${scope.ownerId}::uuid, ${scope.workspaceId}::uuid, ${scope.accountIds ? uuidArray(scope.accountIds) : sql`null`}, ${webhook.url},
            ${textArray(webhook.types)}, ${webhook.description}, ${webhook.secret}, ${webhook.subscriberId}::uuid, ${instant(webhook.createdAt)}, ${instant(webhook.createdAt)}
          where (select count(*) from ${webhooks} where ${scopeId} = ${scope.id}) < ${MAX_WEBHOOKS}
          on conflict (id) do nothing returning *
        ), stored_webhook as (
          select * from new_webhook union all select * from ${webhooks} where ${isOwn(scope, webhook.id)}
        )
        select ${list} from stored_webhook ${webhooks}`,
    ),
  ]);
  return row ?? null;
}

/** The oldest first. */
export function listWebhooks(db: ReadOnlyDb, scope: Scope): Read<WebhookRow[]> {
  return readRows(
    db,
    db.select(WEBHOOK_COLUMNS).from(webhooks).where(inScope(webhooks, scope)).orderBy(asc(createdAt), asc(id)),
  );
}

export function findWebhook(db: ReadOnlyDb, scope: Scope, webhookId: string): Read<WebhookRow | null> {
  return readFirst(db, db.select(WEBHOOK_COLUMNS).from(webhooks).where(isOwn(scope, webhookId)));
}

/** With its encrypted secret. */
export async function findWebhookSecret(db: ReadOnlyDb, scope: Scope, webhookId: string) {
  const { previousSecretUntil } = webhooks;
  const [row] = await db.select({ id, secret, previousSecretUntil }).from(webhooks).where(isOwn(scope, webhookId));
  return row ?? null;
}

export interface WebhookChange {
  url?: string | undefined;
  types?: string[] | undefined;
  description?: string | null | undefined;
  status?: "enabled" | "disabled" | undefined;
}

/** Forgets the failures: those of another URL, or from before a person enabled it again. */
const NO_FAILURES = { failingSince: null, warnedPercent: 0 } as const;

/** Null if the webhook does not belong to the scope. */
export async function updateWebhook(
  db: Db,
  scope: Scope,
  webhookId: string,
  { status, ...change }: WebhookChange,
  now: Date,
): Promise<WebhookRow | null> {
  const disabled = {
    disabledAt: sql`coalesce(${disabledAt}, ${instant(now)})`,
    disabledReason: sql`coalesce(${webhooks.disabledReason}, 'request')`,
  };
  const [row] = await db
    .update(webhooks)
    .set({
      ...change,
      ...(change.url === undefined ? {} : NO_FAILURES),
      ...(status === "enabled" ? { ...NO_FAILURES, disabledAt: null, disabledReason: null } : {}),
      ...(status === "disabled" ? disabled : {}),
      updatedAt: now,
    })
    .where(isOwn(scope, webhookId))
    .returning(WEBHOOK_COLUMNS);
  return row ?? null;
}

/** The former secret stays valid until `previousUntil`. False if the webhook does not belong to the scope. */
export async function replaceWebhookSecret(
  db: Db,
  scope: Scope,
  webhookId: string,
  { sealed, previousUntil, now }: { sealed: string; previousUntil: Date; now: Date },
): Promise<boolean> {
  const replaced = await db
    .update(webhooks)
    .set({ secret: sealed, previousSecret: secret, previousSecretUntil: previousUntil, updatedAt: now })
    .where(isOwn(scope, webhookId))
    .returning({ id });
  return replaced.length > 0;
}

/** False if the webhook does not belong to the scope. */
export async function deleteWebhook(db: Db, scope: Scope, webhookId: string): Promise<boolean> {
  const deleted = await db.delete(webhooks).where(isOwn(scope, webhookId)).returning({ id });
  return deleted.length > 0;
}
