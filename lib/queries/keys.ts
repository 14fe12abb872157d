// API keys and grants, by a token of theirs, with the plan of their scope.
import { sql } from "drizzle-orm";
import { apiKeys, grants } from "../../drizzle/schema/keys.ts";
import { grantAccessTokens } from "../../drizzle/schema/oauth.ts";
import { subscriptions } from "../../drizzle/schema/tenants.ts";
import type { Db } from "../services/database.ts";
import type { Permission } from "../shared/permissions.ts";
import type { Resource } from "../shared/resources.ts";
import type { Scope } from "../shared/scope.ts";
import { type Read, toRead } from "./read.ts";
import { planScope, sandboxOf } from "./sandboxes.ts";
import { columnName, nullable, preparedQuery, required, typedAs } from "./sql.ts";
import { hasWebhooks } from "./webhooks.ts";

/** The immutable part of a key or grant, which may be cached. */
export interface Credential {
  id: string;
  /** Of the key or grant; an access token of a grant has another one. */
  publicId: string;
  secretHash: string;
  scope: Scope;
  /** Null means all. */
  permissions: readonly Permission[] | null;
  /** Null: its token may be sent to all of them. */
  resource: Resource | null;
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
/** The tables of tokens: a key and a grant of the admin command are a token, a grant of a consent has access tokens. */
type TokenTable = KeyTable | typeof grantAccessTokens;

const listColumns = (table: KeyTable, tokens: TokenTable) => ({
  id: table.id,
  publicId: table.publicId,
  secretHash: sql<string>`${tokens.secretHash}`,
  scopeId: required(table.scopeId),
  ownerId: table.ownerId,
  workspaceId: table.workspaceId,
  permissions: table.permissions,
  accountIds: table.accountIds,
  resource: sql<Resource | null>`${table === grants ? grants.resource : sql`null`}`,
  revokedAt: table.revokedAt,
  expiresAt: typedAs(sql`least(${table.expiresAt}, ${tokens.expiresAt})`, table.expiresAt),
  tier: nullable(subscriptions.tier),
  subscription: nullable(subscriptions.status),
  paidUntil: subscriptions.paidUntil,
  hasWebhooks: hasWebhooks(table.scopeId),
  sandbox: sandboxOf(table.scopeId),
});

interface UseOfKey {
  /** Of the token. */
  publicId: string;
  secretHash: string;
  /** The id of the endpoint. */
  operation: string;
}

function prepareFind(table: KeyTable, tokens: TokenTable) {
  const isStale = sql`${table.lastUsedAt} < now() - ${sql.raw(`interval '${LAST_USE_MINUTES} minutes'`)}`;
  const isOf = tokens === grantAccessTokens ? sql`${grantAccessTokens.grantId} = ${table.id}` : null;
  return preparedQuery<UseOfKey, ReturnType<typeof listColumns>>(
    listColumns(table, tokens),
    (list, { publicId, secretHash, operation }) => sql`
      with used_key as (
        update ${table} set ${columnName(table.lastUsedAt)} = now(), ${columnName(table.lastOperation)} = ${operation}::text
        ${isOf ? sql`from ${tokens}` : sql``}
        where ${tokens.publicId} = ${publicId} and ${tokens.secretHash} = ${secretHash} ${isOf ? sql`and ${isOf}` : sql``}
          and (${table.lastUsedAt} is null or ${isStale})
        returning ${table.id}
      )
      select ${list} from ${table} ${isOf ? sql`join ${tokens} on ${isOf}` : sql``}
        left join ${subscriptions} on ${subscriptions.scopeId} = ${planScope(table.scopeId)}
      where ${tokens.publicId} = ${publicId}`,
  );
}

/** By the first two characters of a token. */
const FINDERS: Record<string, ReturnType<typeof prepareFind>> = {
  pk: prepareFind(apiKeys, apiKeys),
  gr: prepareFind(grants, grants),
  at: prepareFind(grants, grantAccessTokens),
};

export interface FoundCredential {
  credential: Credential;
  standing: CredentialStatus;
}

/** Finds a key or grant by the public id of a token of it. The right secret counts as a use of it. */
export function findCredential(db: Db, use: UseOfKey): Read<FoundCredential | null> {
  const find = FINDERS[use.publicId.slice(0, 2)];
  if (!find) throw new Error("The token of an unknown kind has no table.");
  return toRead(db, [find(db, use)], ([[row]]) => {
    if (!row) return null;
    const { id, publicId, secretHash, scopeId, ownerId, workspaceId, accountIds, permissions, resource, ...rest } = row;
    const { sandbox, ...standing } = rest;
    const scope = { id: scopeId, ownerId, workspaceId, accountIds, ...(sandbox ? { sandbox } : {}) };
    return { credential: { id, publicId, secretHash, scope, permissions, resource }, standing };
  });
}
