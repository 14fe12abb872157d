// A workspace of a section's own, made in the database, so that what one section fills the others do not see.
import { randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import { connect } from "../../lib/db.ts";
import type { Platform } from "../../lib/platforms/platform.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { seal } from "../../lib/secrets.ts";
import type { NetworkAccount } from "../local/networks/server.ts";
import type { Context } from "./section.ts";

export interface BenchTenant {
  tenant: tenants.Tenant;
  token: string;
  accountIds: string[];
  /** What the networks' stand-ins know of the accounts, in the same order. */
  networkAccounts: NetworkAccount[];
}

/** With one account per platform named. */
export async function makeTenant({ world }: Context, platforms: Platform[]): Promise<BenchTenant> {
  const { DATABASE_URL = "", DATABASE_FETCH_URL, TOKEN_KEY = "" } = world.vars;
  const db = connect({ DATABASE_URL, DATABASE_FETCH_URL }, "bench");
  const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Bench" });
  const tenant = await tenants.createWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Bench" });
  await tenants.setPlan(db, tenant, newId(), { tier: "professional", status: "active", paidUntil: null });
  const token = await tenants.createKey(db, tenant, { id: newId(), name: "bench", kind: "key", expiresAt: null });

  const accountIds: string[] = [];
  const networkAccounts: NetworkAccount[] = [];
  for (const platform of platforms) {
    const id = newId();
    const [accessToken, refreshToken] = [randomBytes(18).toString("hex"), randomBytes(18).toString("hex")];
    const externalId = `${platform === "bluesky" ? "did:plc:" : ""}${randomBytes(6).readUIntBE(0, 6)}`;
    const username = `bench${accountIds.length}`;
    await tenants.connectAccount(db, tenant, {
      id,
      platform,
      type: "byo",
      status: "active",
      username,
      displayName: username,
      externalId,
      accessToken: await seal(TOKEN_KEY, accessToken),
      refreshToken: await seal(TOKEN_KEY, refreshToken),
      tokenExpiresAt: null,
    });
    accountIds.push(id);
    networkAccounts.push({ platform, externalId, accessToken, refreshToken, username, facts: {} });
  }
  world.networks.register(...networkAccounts);
  return { tenant, token, accountIds, networkAccounts };
}
