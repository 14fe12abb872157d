// Test scopes: made for a live one, read with whatever names a scope, and their clocks.
import { eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { analyticsRefreshes, analyticsTargets } from "../../drizzle/schema/analytics.ts";
import { webhookDeliveries, webhooks } from "../../drizzle/schema/events.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import { sandboxes } from "../../drizzle/schema/sandboxes.ts";
import { owners, workspaces } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import type { Sandbox } from "../shared/scope.ts";
import { columnNames, instant, optionalJsonObject, qualified, rawCommand, rawQuery, typedAs } from "./sql.ts";
import { insertAccounts, type NewAccount, type TenantIds } from "./tenants.ts";

const { scopeId, liveScopeId, clockOffsetMs, frozenAt, resets } = sandboxes;

/** While a runner advances the clock, it stands. */
const OFFSET = sql<number>`greatest(0, coalesce(round(extract(epoch from ${frozenAt} - now()) * 1000), ${clockOffsetMs}))::double precision`;

export const SANDBOX = { scopeId, liveScopeId, clockOffsetMs: OFFSET, resets };

/** The test scope with this id, in the statement that reads the id; null in live mode. */
export const sandboxOf = (scope: PgColumn): SQL<Sandbox | null> =>
  qualified(optionalJsonObject(SANDBOX, { from: sql`from ${sandboxes} where ${scopeId} = ${scope}` }));

/** The test scope of the live one with this id, with the time zone that its people work in; null before it is made. */
export const testScopeOf = (live: PgColumn) =>
  qualified(
    optionalJsonObject(
      {
        ...SANDBOX,
        timeZone: sql<string>`(select ${workspaces.timeZone} from ${workspaces} where ${workspaces.id} = ${scopeId})`,
      },
      { from: sql`from ${sandboxes} where ${liveScopeId} = ${live}` },
    ),
  );

/** The scope whose plan and members a scope has: a test scope those of its live one. */
export const planScope = (scope: PgColumn | SQL): SQL =>
  sql`coalesce((select ${liveScopeId} from ${sandboxes} where ${scopeId} = ${scope}), ${scope})`;

/** Selects the rows of a live scope and of its test scope, by the index of the column. */
export const inBothModes = (scope: PgColumn, live: string): SQL =>
  sql`${scope} in (${live}::uuid, (select ${scopeId} from ${sandboxes} where ${liveScopeId} = ${live}::uuid))`;

/** A test scope as the tenant of its rows. */
export type SandboxTenant = Sandbox & { ownerId: string; workspaceId: string };

/** The test scope of a live one; null before it is made. */
export async function findSandbox(db: ReadOnlyDb, live: TenantIds): Promise<SandboxTenant | null> {
  const [row] = await db
    .select({ ...SANDBOX, ownerId: workspaces.ownerId, workspaceId: scopeId })
    .from(sandboxes)
    .innerJoin(workspaces, eq(workspaces.id, scopeId))
    .where(eq(liveScopeId, live.workspaceId ?? live.ownerId));
  return row ?? null;
}

/** One transaction; fails when another call has made it. The name is that of the workspace whose test mode it is. */
export async function insertSandbox(db: Db, live: TenantIds, id: string, virtual: NewAccount[]): Promise<void> {
  const { ownerId, workspaceId } = live;
  const { name, timeZone } = workspaces;
  const isLive = sql`${workspaces.id} = ${workspaceId}::uuid`;
  await db.batch([
    rawCommand(
      db,
      sql`insert into ${workspaces} (${columnNames([workspaces.id, workspaces.ownerId, name, timeZone])})
        select ${id}::uuid, ${ownerId}::uuid, coalesce((select ${name} from ${workspaces} where ${isLive}), 'Personal'),
          coalesce((select ${timeZone} from ${workspaces} where ${isLive}),
            (select ${owners.timeZone} from ${owners} where ${owners.id} = ${ownerId}::uuid))`,
    ),
    db.insert(sandboxes).values({ scopeId: id, liveScopeId: workspaceId ?? ownerId }),
    insertAccounts(db, { ownerId, workspaceId: id }, virtual),
  ]);
}

/**
 * The test scopes with work that falls due by `until` in real time, and when: of `limit` scopes after `after`. Kinds of work that
 * no minute matters to wait for these, or for an advance of the clock.
 */
export async function listDueSandboxes(
  db: ReadOnlyDb,
  { after, until, limit }: { after: string; until: Date; limit: number },
): Promise<{ due: { id: string; dueAt: Date }[]; lastId: string | null }> {
  const ahead = sql`page.clock_offset_ms * interval '1 millisecond'`;
  const { accountId, nextAttemptAt } = postDeliveries;
  const rows = await rawQuery(
    db,
    { id: sql<string>`page.scope_id`, dueAt: typedAs(sql`work.at - ${ahead}`, frozenAt) },
    (list) => sql`
      with page as (select ${scopeId}, ${clockOffsetMs} from ${sandboxes} where ${scopeId} > ${after}::uuid order by ${scopeId} limit ${limit})
      select ${list} from page left join lateral (
        select min(at) as at from (
          select min(${nextAttemptAt}) as at from ${accounts} join ${postDeliveries} on ${accountId} = ${accounts.id}
          where ${accounts.scopeId} = page.scope_id and ${nextAttemptAt} is not null
          union all
          select min(${webhookDeliveries.nextAttemptAt}) from ${webhooks}
            join ${webhookDeliveries} on ${webhookDeliveries.webhookId} = ${webhooks.id}
          where ${webhooks.scopeId} = page.scope_id and ${webhooks.disabledAt} is null and ${webhookDeliveries.nextAttemptAt} is not null
          union all
          select min(${analyticsRefreshes.nextAttemptAt}) from ${analyticsTargets}
            join ${analyticsRefreshes} on ${analyticsRefreshes.targetId} = ${analyticsTargets.id}
          where ${analyticsTargets.scopeId} = page.scope_id and ${analyticsRefreshes.nextAttemptAt} is not null
        ) kinds
      ) work on work.at - ${ahead} <= ${instant(until)} order by page.scope_id`,
  );
  return {
    due: rows.flatMap(({ id, dueAt }) => (dueAt ? [{ id, dueAt }] : [])),
    lastId: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  };
}
