// The tenants, keys and accounts that the local world begins with; all secrets are random and differ on every machine.
import { randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import type { DatabaseAddress } from "../../drizzle/migrate.ts";
import { connect, type Db } from "../../lib/db.ts";
import type { Platform } from "../../lib/platforms/platform.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { seal } from "../../lib/secrets.ts";
import type { NetworkAccount } from "./networks/server.ts";

export const KEY_NAMES = [
  "workspace",
  "otherWorkspace",
  "personal",
  "scheduler",
  "lapsed",
  "revoked",
  "grant",
] as const;
export type KeyName = (typeof KEY_NAMES)[number];

export interface SeededAccount {
  id: string;
  platform: Platform;
  type: "byo" | "hosted";
  status: "active" | "paused";
  username: string;
  /** The key that sees it. */
  key: KeyName;
}

export interface Seed {
  keys: Record<KeyName, string>;
  accounts: SeededAccount[];
  /** What the stand-ins must know of the accounts, tokens included. */
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

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

export async function seed(address: DatabaseAddress, tokenKey: string, now: Date): Promise<Seed> {
  const db = connect(address, "seed");
  const owner = await tenants.createOwner(db, { id: newId(), email: "owner@example.com", name: "Local Owner" });
  const workspace = (name: string) => tenants.createWorkspace(db, { id: newId(), ownerId: owner.ownerId, name });
  const of = {
    workspace: await workspace("North Light"),
    otherWorkspace: await workspace("Harbour View"),
    scheduler: await workspace("Scheduler Tier"),
    lapsed: await workspace("Lapsed Plan"),
    personal: owner,
  };
  const plan = (tenant: tenants.Tenant, tier: tenants.Plan["tier"], paidUntil: Date) =>
    tenants.setPlan(db, tenant, newId(), { tier, status: "active", paidUntil });
  const nextYear = new Date(now.getTime() + YEAR_MS);
  await plan(of.workspace, "professional", nextYear);
  await plan(of.otherWorkspace, "professional", nextYear);
  await plan(of.personal, "creator", nextYear);
  await plan(of.scheduler, "scheduler", nextYear);
  await plan(of.lapsed, "professional", new Date(now.getTime() - 1000));

  const key = (tenant: tenants.Tenant, name: string, kind: "key" | "grant") =>
    tenants.createKey(db, tenant, { id: newId(), name, kind, expiresAt: null });
  const keys: Seed["keys"] = {
    workspace: await key(of.workspace, "local", "key"),
    otherWorkspace: await key(of.otherWorkspace, "local", "key"),
    personal: await key(of.personal, "local", "key"),
    scheduler: await key(of.scheduler, "local", "key"),
    lapsed: await key(of.lapsed, "local", "key"),
    revoked: await key(of.workspace, "revoked", "key"),
    grant: await key(of.workspace, "Local Client", "grant"),
  };
  await tenants.revokeKey(db, keys.revoked.split(".")[0] ?? "");

  const accounts: SeededAccount[] = [];
  const networkAccounts: NetworkAccount[] = [];
  for (const account of ACCOUNTS) {
    const made = await connectSeeded(db, of[account.key as keyof typeof of], account, tokenKey, now);
    accounts.push({ id: made.id, ...account });
    networkAccounts.push(made.network);
  }
  return { keys, accounts, networkAccounts };
}

async function connectSeeded(
  db: Db,
  tenant: tenants.Tenant,
  account: Omit<SeededAccount, "id">,
  tokenKey: string,
  now: Date,
): Promise<{ id: string; network: NetworkAccount }> {
  const { platform, username } = account;
  const [accessToken, refreshToken] = [randomBytes(24).toString("base64url"), randomBytes(24).toString("base64url")];
  const externalId = String(17_800_000_000_000_000n + BigInt(randomBytes(6).readUIntBE(0, 6)));
  const id = newId();
  await tenants.connectAccount(db, tenant, {
    id,
    platform,
    type: account.type,
    status: account.status,
    username,
    displayName: username.replaceAll(".", " "),
    externalId,
    accessToken: await seal(tokenKey, accessToken),
    refreshToken: await seal(tokenKey, refreshToken),
    tokenExpiresAt: new Date(now.getTime() + YEAR_MS),
  });
  // Analytics has something to read of them.
  const facts = { posts: 60, postsUntil: now.toISOString(), quotaTotal: 100_000 };
  return { id, network: { platform, externalId, accessToken, refreshToken, username, facts } };
}
