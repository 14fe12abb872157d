// Creates owners, workspaces, plans, keys and accounts, for the admin command, the dashboard and the local seed.
import { randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { apiKeys, grants } from "../../drizzle/schema/keys.ts";
import { members, owners, subscriptions, type TIERS, workspaces } from "../../drizzle/schema/tenants.ts";
import type { Db } from "../services/database.ts";
import { sha256Hex } from "../shared/crypto.ts";
import type { Permission } from "../shared/permissions.ts";
import type { Platform } from "../shared/platforms.ts";

/** Whose data it is: a workspace's, or the owner's personal data when `workspaceId` is null. */
export interface TenantIds {
  ownerId: string;
  workspaceId: string | null;
}

export async function insertOwner(db: Db, owner: { id: string; email: string; name: string }): Promise<TenantIds> {
  await db.insert(owners).values(owner);
  return { ownerId: owner.id, workspaceId: null };
}

export async function findOwner(db: Db, email: string): Promise<string | null> {
  const [row] = await db.select({ id: owners.id }).from(owners).where(eq(owners.email, email));
  return row?.id ?? null;
}

export async function insertWorkspace(
  db: Db,
  workspace: { id: string; ownerId: string; name: string },
): Promise<TenantIds> {
  const { id, ownerId } = workspace;
  await db.batch([
    db.insert(workspaces).values(workspace),
    db.insert(members).values({ workspaceId: id, ownerId, role: "owner" }),
  ]);
  return { ownerId, workspaceId: id };
}

export async function findWorkspace(db: Db, id: string): Promise<TenantIds | null> {
  const [row] = await db
    .select({ ownerId: workspaces.ownerId, workspaceId: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.id, id));
  return row ?? null;
}

export interface Plan {
  tier: (typeof TIERS)[number];
  status: "active" | "past_due" | "canceled";
  paidUntil: Date | null;
}

export async function savePlan(db: Db, tenant: TenantIds, id: string, plan: Plan): Promise<void> {
  await db
    .insert(subscriptions)
    .values({ id, ...tenant, ...plan })
    .onConflictDoUpdate({ target: subscriptions.scopeId, set: plan });
}

/** A `test` key is one of a test scope. */
export type KeyKind = "key" | "test" | "grant";

const KEY_PREFIXES = { key: "pk", test: "pk_test", grant: "gr" } as const satisfies Record<KeyKind, string>;

export interface NewKeyRow {
  id: string;
  /** The name of a key; for a grant, the client application. */
  name: string;
  kind: KeyKind;
  expiresAt: Date | null;
  /** Absent or null: all permissions. */
  permissions?: readonly Permission[] | null;
  /** Absent or null: all accounts of the tenant. */
  accountIds?: readonly string[] | null;
  /** The person who sees its token. */
  createdBy?: string;
}

/** A new token, and what is stored of it: only a hash of its secret, so that it cannot be shown again. */
export function createKeyToken(kind: KeyKind): { token: string; publicId: string; secretHash: string } {
  const publicId = `${KEY_PREFIXES[kind]}_${randomBytes(8).toString("hex")}`;
  const secret = randomBytes(32).toString("base64url");
  return { token: `${publicId}.${secret}`, publicId, secretHash: sha256Hex(secret) };
}

/** Returns the token. */
export async function insertKey(db: Db, tenant: TenantIds, key: NewKeyRow): Promise<string> {
  const { token, publicId, secretHash } = createKeyToken(key.kind);
  const { id, expiresAt, permissions = null, accountIds = null, createdBy = null } = key;
  const row = {
    id,
    publicId,
    secretHash,
    ...tenant,
    expiresAt,
    permissions: permissions && [...permissions],
    accountIds: accountIds && [...accountIds],
  };
  await (key.kind === "grant"
    ? db.insert(grants).values({ ...row, clientName: key.name })
    : db.insert(apiKeys).values({ ...row, name: key.name, createdBy }));
  return token;
}

/** The next request with the key is rejected. False if there is no such key or it was already revoked. */
export async function revokeKey(db: Db, publicId: string): Promise<boolean> {
  const table = publicId.startsWith("gr_") ? grants : apiKeys;
  const revoked = await db
    .update(table)
    .set({ revokedAt: sql`now()` })
    .where(sql`${table.publicId} = ${publicId} and ${table.revokedAt} is null`)
    .returning({ id: table.id });
  return revoked.length > 0;
}

export interface NewAccount {
  id: string;
  platform: Platform;
  type: "byo" | "hosted";
  status: "active" | "paused";
  username: string;
  displayName: string;
  externalId: string;
  /** Both encrypted; a hosted account has none. */
  accessToken: string | null;
  refreshToken: string | null;
  tokenExpiresAt: Date | null;
  /** The permissions of the token; null or absent if the network did not say. */
  grantedScopes?: string[] | null;
}

export async function insertAccount(db: Db, tenant: TenantIds, account: NewAccount): Promise<void> {
  await insertAccounts(db, tenant, [account]);
}

/** A statement, to be awaited or sent with others. */
export function insertAccounts(db: Db, tenant: TenantIds, rows: NewAccount[]) {
  return db.insert(accounts).values(rows.map((account) => ({ ...account, ...tenant })));
}
