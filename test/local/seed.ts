// The initial tenants, keys and accounts of the local stack; all secrets are random.

import { randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import type { DatabaseConfig } from "../../functions/commands/migrate.ts";
import {
  insertAccount,
  insertKey,
  insertOwner,
  insertWorkspace,
  type KeyKind,
  type Plan,
  revokeKey,
  savePlan,
  type TenantIds,
} from "../../lib/queries/tenants.ts";
import { openSandbox } from "../../lib/sandbox/open-sandbox.ts";
import { type Db, openDatabase } from "../../lib/services/database.ts";
import { at } from "../../lib/shared/at.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { encryptTokens } from "../../lib/shared/token-encryption.ts";
import { toExternalId } from "../../lib/simulator/networks/network.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { PERMISSIONS } from "./networks/permissions/table.ts";
import type { NetworkAccount } from "./networks/server.ts";

export const KEY_NAMES = [
  "workspace",
  "otherWorkspace",
  "personal",
  "scheduler",
  "lapsed",
  "revoked",
  "grant",
  "test",
] as const;
export type KeyName = (typeof KEY_NAMES)[number];

export interface SeededAccount {
  id: string;
  platform: Platform;
  type: "byo" | "hosted";
  status: "active" | "paused";
  username: string;
  /** The key whose scope contains it. */
  key: KeyName;
}

export interface Seed {
  keys: Record<KeyName, string>;
  accounts: SeededAccount[];
  /** The accounts as the fake networks store them, with tokens. */
  networkAccounts: NetworkAccount[];
}

const ACCOUNTS: Omit<SeededAccount, "id">[] = [
  { platform: "tiktok", type: "byo", status: "active", username: "north.light", key: "workspace" },
  { platform: "instagram", type: "byo", status: "active", username: "north.light.studio", key: "workspace" },
  { platform: "youtube", type: "byo", status: "active", username: "northlight", key: "workspace" },
  { platform: "twitter", type: "byo", status: "active", username: "north_light", key: "workspace" },
  { platform: "pinterest", type: "byo", status: "active", username: "northlight", key: "workspace" },
  { platform: "threads", type: "byo", status: "active", username: "north.light.studio", key: "workspace" },
  { platform: "linkedin", type: "byo", status: "active", username: "north-light", key: "workspace" },
  { platform: "facebook", type: "byo", status: "active", username: "northlightstudio", key: "workspace" },
  { platform: "bluesky", type: "byo", status: "active", username: "northlight.bsky.social", key: "workspace" },
  { platform: "tiktok", type: "hosted", status: "active", username: "daily.maker", key: "workspace" },
  { platform: "instagram", type: "byo", status: "paused", username: "north.light.archive", key: "workspace" },
  { platform: "tiktok", type: "byo", status: "active", username: "harbour.view", key: "otherWorkspace" },
  { platform: "instagram", type: "byo", status: "active", username: "harbour.view.pics", key: "otherWorkspace" },
  { platform: "tiktok", type: "byo", status: "active", username: "solo.traveller", key: "personal" },
  { platform: "instagram", type: "byo", status: "active", username: "solo.traveller.photos", key: "personal" },
];

/** Signs in to the dashboard. */
export const OWNER_EMAIL = "owner@example.com";

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

export async function seedDatabase(config: DatabaseConfig, tokenKey: string, now: Date): Promise<Seed> {
  const db = openDatabase(config, "seed");
  const owner = await insertOwner(db, { id: newId(), email: OWNER_EMAIL, name: "Local Owner" });
  const createWorkspace = (name: string) => insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name });
  const tenantByKey = {
    workspace: await createWorkspace("North Light"),
    otherWorkspace: await createWorkspace("Harbour View"),
    scheduler: await createWorkspace("Scheduler Tier"),
    lapsed: await createWorkspace("Lapsed Plan"),
    personal: owner,
  };
  const setPlan = (tenant: TenantIds, tier: Plan["tier"], paidUntil: Date | null = null) =>
    savePlan(db, tenant, newId(), { tier, status: "active", paidUntil });
  await setPlan(tenantByKey.workspace, "professional");
  await setPlan(tenantByKey.otherWorkspace, "professional");
  await setPlan(tenantByKey.personal, "creator");
  await setPlan(tenantByKey.scheduler, "scheduler");
  await setPlan(tenantByKey.lapsed, "professional", new Date(now.getTime() - 1000));

  const sandbox = await openSandbox(db, { current: tokenKey }, tenantByKey.workspace);
  const createKey = (tenant: TenantIds, name: string, kind: KeyKind) =>
    insertKey(
      db,
      { ownerId: tenant.ownerId, workspaceId: tenant.workspaceId },
      { id: newId(), name, kind, expiresAt: null },
    );
  const keys: Seed["keys"] = {
    workspace: await createKey(tenantByKey.workspace, "local", "key"),
    otherWorkspace: await createKey(tenantByKey.otherWorkspace, "local", "key"),
    personal: await createKey(tenantByKey.personal, "local", "key"),
    scheduler: await createKey(tenantByKey.scheduler, "local", "key"),
    lapsed: await createKey(tenantByKey.lapsed, "local", "key"),
    revoked: await createKey(tenantByKey.workspace, "revoked", "key"),
    grant: await createKey(tenantByKey.workspace, "Local Client", "grant"),
    test: await createKey(sandbox, "local", "test"),
  };
  await revokeKey(db, at(keys.revoked.split("."), 0));

  const accounts: SeededAccount[] = [];
  const networkAccounts: NetworkAccount[] = [];
  for (const account of ACCOUNTS) {
    const connected = await connectSeededAccount(
      db,
      tenantByKey[account.key as keyof typeof tenantByKey],
      account,
      tokenKey,
      now,
    );
    accounts.push({ id: connected.id, ...account });
    networkAccounts.push(connected.network);
  }
  for (const { id, platform, type, username } of virtualAccounts(sandbox.scopeId)) {
    accounts.push({ id, platform, type, status: "active", username, key: "test" });
  }
  return { keys, accounts, networkAccounts };
}

async function connectSeededAccount(
  db: Db,
  tenant: TenantIds,
  account: Omit<SeededAccount, "id">,
  tokenKey: string,
  now: Date,
): Promise<{ id: string; network: NetworkAccount }> {
  const { platform, username } = account;
  const [accessToken, refreshToken] = [randomBytes(24).toString("base64url"), randomBytes(24).toString("base64url")];
  const number = 17_800_000_000_000_000n + BigInt(randomBytes(6).readUIntBE(0, 6));
  const externalId = toExternalId(platform, String(number));
  const id = newId();
  // The tokens are those of consents that asked for everything.
  const scopes = [...new Set(PERMISSIONS[platform].flatMap(({ anyOf }) => anyOf[0] ?? []))];
  await insertAccount(db, tenant, {
    id,
    platform,
    type: account.type,
    status: account.status,
    username,
    displayName: username.replaceAll(".", " "),
    externalId,
    ...(await encryptTokens({ current: tokenKey }, id, { accessToken, refreshToken })),
    tokenExpiresAt: new Date(now.getTime() + YEAR_MS),
    grantedScopes: account.type === "byo" ? scopes : null,
  });
  // Posts for analytics to read; with the app password, the Bluesky account can be connected again.
  const facts = { posts: 60, postsUntil: now.toISOString(), quotaTotal: 100_000, appPassword: "demo-demo-demo-demo" };
  return { id, network: { platform, externalId, username, accessToken, refreshToken, scopes, facts } };
}
