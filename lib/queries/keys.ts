// API keys and grants with the plan of their scope.
import { sql } from "drizzle-orm";
import { apiKeys, grants } from "../../drizzle/schema/keys.ts";
import { subscriptions } from "../../drizzle/schema/tenants.ts";
import type { Db } from "../services/database.ts";
import type { Permission } from "../shared/permissions.ts";
import type { Scope } from "../shared/scope.ts";
import { type Read, toRead } from "./read.ts";
import { columnName, nullable, preparedQuery, required } from "./sql.ts";
import { hasWebhooks } from "./webhooks.ts";

/** The immutable part of a key or grant, which may be cached. */
export interface Credential {
  id: string;
  publicId: string;
  secretHash: string;
  scope: Scope;
  /** Null means all. */
  permissions: readonly Permission[] | null;
}

/** The part that changes, and is read for every request. */
export interface CredentialStatus extends PlanStatus {
  revokedAt: Date | null;
  expiresAt: Date | null;
  /** The scope has a webhook that receives its events. */
  hasWebhooks: boolean;
}

/** The plan of a scope; null without one. */
export interface PlanStatus {
  tier: string | null;
  subscription: string | null;
  paidUntil: Date | null;
}

/** To which `last_used_at` and `last_operation` are exact: a key in steady use is written this often. */
const LAST_USE_MINUTES = 10;

type KeyTable = typeof apiKeys | typeof grants;

const listColumns = (table: KeyTable) => ({
  id: table.id,
  publicId: table.publicId,
  secretHash: table.secretHash,
  scopeId: required(table.scopeId),
  ownerId: table.ownerId,
  workspaceId: table.workspaceId,
  permissions: table.permissions,
  accountIds: table.accountIds,
  revokedAt: table.revokedAt,
  expiresAt: table.expiresAt,
  tier: nullable(subscriptions.tier),
  subscription: nullable(subscriptions.status),
  paidUntil: subscriptions.paidUntil,
  hasWebhooks: hasWebhooks(table.scopeId),
});

interface UseOfKey {
  publicId: string;
  secretHash: string;
  /** The id of the endpoint. */
  operation: string;
}

function prepareFind(table: KeyTable) {
  const isStale = sql`${table.lastUsedAt} < now() - ${sql.raw(`interval '${LAST_USE_MINUTES} minutes'`)}`;
  return preparedQuery<UseOfKey, ReturnType<typeof listColumns>>(
    listColumns(table),
    (list, { publicId, secretHash, operation }) => sql`
      with used_key as (
        update ${table} set ${columnName(table.lastUsedAt)} = now(), ${columnName(table.lastOperation)} = ${operation}::text
        where ${table.publicId} = ${publicId} and ${table.secretHash} = ${secretHash}
          and (${table.lastUsedAt} is null or ${isStale})
        returning ${table.id}
      )
      select ${list} from ${table} left join ${subscriptions} on ${subscriptions.scopeId} = ${table.scopeId}
      where ${table.publicId} = ${publicId}`,
  );
}

const [findKey, findGrant] = [prepareFind(apiKeys), prepareFind(grants)];

export interface FoundCredential {
  credential: Credential;
  standing: CredentialStatus;
}

/** Finds a key or grant by the public id of its token. The right secret counts as a use of it. */
export function findCredential(db: Db, use: UseOfKey): Read<FoundCredential | null> {
  const query = (use.publicId.startsWith("gr_") ? findGrant : findKey)(db, use);
  return toRead(db, [query], ([[row]]) => {
    if (!row) return null;
    const { id, publicId, secretHash, scopeId, ownerId, workspaceId, accountIds, permissions, ...standing } = row;
    const scope = { id: scopeId, ownerId, workspaceId, accountIds };
    return { credential: { id, publicId, secretHash, scope, permissions }, standing };
  });
}
