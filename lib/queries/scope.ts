// The predicate of what a caller may see: the rows of its tenant, and with a limited key those of its accounts. Every query for a
// caller has it, and no other condition separates tenants or accounts.
import { type Column, eq, getTableColumns, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import { sandboxes } from "../../drizzle/schema/sandboxes.ts";
import type { Sandbox } from "../shared/scope.ts";
import { uuidArray } from "./sql.ts";

/** A scope, or in a prepared query the placeholders of one. */
interface ScopeValues {
  id: string | Placeholder;
  accountIds?: readonly string[] | Placeholder | null | undefined;
}

type ScopedTable = PgTable & { scopeId: Column };
/** The columns of a table, or of an alias of it. */
type Columns = Record<string, PgColumn>;

const allowsPost = (postId: Column | undefined, ids: SQL): SQL => sql`not exists (
  select 1 from ${postDeliveries} where ${postDeliveries.postId} = ${postId} and ${postDeliveries.accountId} <> all(${ids}))`;

/** The conditions of the tables whose rows are about accounts, by name. Rows of others are about none. */
const LIMITS: Record<string, (table: Columns, ids: SQL) => SQL> = {
  accounts: ({ id }, ids) => sql`${id} = any(${ids})`,
  posts: ({ id }, ids) => allowsPost(id, ids),
  approval_links: ({ postId }, ids) => allowsPost(postId, ids),
  analytics_targets: (
    target,
    ids,
  ) => sql`exists (select 1 from ${accounts} where ${accounts.scopeId} = ${target.scopeId}
    and ${accounts.id} = any(${ids}) and ${accounts.platform} = ${target.platform}
    and ${isHandleOf(accounts, target.normalizedIdentifier)})`,
  events: ({ accountIds }, ids) => sql`(${accountIds} is null or ${accountIds} <@ ${ids})`,
  // One of a key without a limit receives everything. One of a key without any account is for such keys.
  webhooks: ({ accountIds }, ids) =>
    sql`(${accountIds} <@ ${ids} and (cardinality(${accountIds}) > 0 or cardinality(${ids}) = 0))`,
};

/** A normalized handle names the account itself, not another one on the same network. */
export const isHandleOf = (account: Record<"username" | "externalId", PgColumn>, handle: Column | SQL | undefined) =>
  sql<boolean>`(${handle} in (lower(ltrim(${account.username}, '@')), lower(${account.externalId}), ${account.externalId}))`;

/** The property in which Drizzle has the name of a table, also under an alias; its types leave it out. */
const ORIGINAL_NAME = Symbol.for("drizzle:OriginalName");

export function inScope(table: ScopedTable, { id, accountIds }: ScopeValues): SQL {
  const ofTenant = eq(table.scopeId, id);
  const limit = LIMITS[(table as unknown as Record<symbol, string>)[ORIGINAL_NAME] ?? ""];
  if (!accountIds || !limit) return ofTenant;
  const ids = Array.isArray(accountIds) ? uuidArray(accountIds) : sql`${accountIds}::uuid[]`;
  return sql`(${ofTenant} and ${limit(getTableColumns(table) as Columns, ids)})`;
}

/** The values of a prepared query that `inScope` separates by. */
export function toScopeValues({ id, accountIds }: { id: string; accountIds?: readonly string[] | null | undefined }) {
  return { scope: id, accountIds: accountIds ? `{${accountIds.join(",")}}` : undefined };
}

/** Selects the rows that a sweep works on: those of all live scopes, or those of one test scope, which have their own clock. */
export function inMode(
  scopeId: Column | SQL,
  sandbox: { scopeId: Sandbox["scopeId"] | Placeholder } | null | undefined,
): SQL {
  if (sandbox) return sql`${scopeId} = ${sandbox.scopeId}::uuid`;
  return sql`not exists (select 1 from ${sandboxes} where ${sandboxes.scopeId} = ${scopeId})`;
}

/** The same for a row of an account. */
export const isAccountInMode = (accountId: Column | SQL, sandbox: Pick<Sandbox, "scopeId"> | null | undefined): SQL =>
  sql`exists (select 1 from ${accounts} where ${accounts.id} = ${accountId} and ${inMode(accounts.scopeId, sandbox)})`;
