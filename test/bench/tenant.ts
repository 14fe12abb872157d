// Creates a separate workspace per section, so that sections do not affect each other.
import { randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import {
  insertAccount,
  insertKey,
  insertOwner,
  insertWorkspace,
  savePlan,
  type TenantIds,
} from "../../lib/queries/tenants.ts";
import { openDatabase } from "../../lib/services/database.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { encryptTokens } from "../../lib/shared/token-encryption.ts";
import type { NetworkAccount } from "../local/networks/server.ts";
import type { BenchContext } from "./section.ts";

export interface BenchTenant {
  tenant: TenantIds;
  token: string;
  accountIds: string[];
  /** The accounts as the fake networks store them, in the same order. */
  networkAccounts: NetworkAccount[];
}

/** Creates a workspace with one account per listed platform. */
export async function createBenchTenant(
  { stack }: Pick<BenchContext, "stack">,
  platforms: Platform[],
): Promise<BenchTenant> {
  const { DATABASE_URL = "", DATABASE_FETCH_URL, TOKEN_KEY = "" } = stack.vars;
  const db = openDatabase({ DATABASE_URL, DATABASE_FETCH_URL }, "bench");
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Bench" });
  const tenant = await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Bench" });
  await savePlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  const token = await insertKey(db, tenant, { id: newId(), name: "bench", kind: "key", expiresAt: null });

  const accountIds: string[] = [];
  const networkAccounts: NetworkAccount[] = [];
  for (const platform of platforms) {
    const id = newId();
    const [accessToken, refreshToken] = [randomBytes(18).toString("hex"), randomBytes(18).toString("hex")];
    const externalId = `${platform === "bluesky" ? "did:plc:" : ""}${randomBytes(6).readUIntBE(0, 6)}`;
    const username = `bench${accountIds.length}`;
    await insertAccount(db, tenant, {
      id,
      platform,
      type: "byo",
      status: "active",
      username,
      displayName: username,
      externalId,
      ...(await encryptTokens({ current: TOKEN_KEY }, id, { accessToken, refreshToken })),
      tokenExpiresAt: null,
    });
    accountIds.push(id);
    networkAccounts.push({ platform, externalId, accessToken, refreshToken, username, facts: {} });
  }
  stack.networks.register(...networkAccounts);
  return { tenant, token, accountIds, networkAccounts };
}
