// `npm run admin -- owner|workspace|plan|key|grant|product ...`: customers, their plans and credentials.
import { randomInt } from "node:crypto";
import { v7 as newId } from "uuid";
import { TIERS } from "../../drizzle/schema/tenants.ts";
import { findUnknownAccounts } from "../../lib/queries/accounts.ts";
import { listCredentials, listWorkspaces } from "../../lib/queries/operated-tenants.ts";
import { insertProduct } from "../../lib/queries/products.ts";
import { insertSignInCode } from "../../lib/queries/sign-ins.ts";
import {
  findOwner,
  insertKey,
  insertOwner,
  insertWorkspace,
  revokeKey,
  savePlan,
  type TenantIds,
} from "../../lib/queries/tenants.ts";
import { openSandbox } from "../../lib/sandbox/open-sandbox.ts";
import type { Db } from "../../lib/services/database.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { PERMISSIONS } from "../../lib/shared/permissions.ts";
import { buildSignInLink, LINK_CODE_LENGTH } from "../../lib/shared/sign-in-link.ts";
import { readTokenKeys } from "./admin-accounts.ts";
import {
  type Command,
  findOwnerId,
  findTenant,
  formatRecord,
  formatRows,
  type OptionValues,
  requireInstant,
  requireOneOf,
  requireOption,
} from "./admin-options.ts";

const MAX_LISTED = 500;
const SIGN_IN_LINK_MS = 7 * DAY_MS;

export const TENANT_COMMANDS: Record<string, Command> = {
  async "owner create"(db, options) {
    const owner = { id: newId(), email: requireOption(options, "email"), name: requireOption(options, "name") };
    if (await findOwner(db, owner.email)) throw new Error(`An owner with the email ${owner.email} already exists.`);
    const tenant = await insertOwner(db, owner);
    return `owner ${tenant.ownerId}`;
  },
  async "sign-in link"(db, options) {
    const email = requireOption(options, "owner-email").toLowerCase();
    const origin = requireOrigin(requireOption(options, "url"));
    await findOwnerId(db, email);
    const code = Array.from({ length: LINK_CODE_LENGTH }, () => randomInt(10)).join("");
    const expiresAt = new Date(Date.now() + SIGN_IN_LINK_MS);
    await insertSignInCode(db, { email, code, expiresAt });
    return buildSignInLink(origin, email, code);
  },
  async "workspace create"(db, options) {
    const ownerId = await findOwnerId(db, requireOption(options, "owner-email"));
    const tenant = await insertWorkspace(db, { id: newId(), ownerId, name: requireOption(options, "name") });
    return `workspace ${tenant.workspaceId}`;
  },
  async "workspace list"(db, options) {
    const email = options["owner-email"];
    const ownerId = email === undefined ? null : await findOwnerId(db, email);
    const rows = await listWorkspaces(db, { ownerId, limit: MAX_LISTED });
    if (rows.length === 0) return "There are no workspaces.";
    return formatRows(
      rows.map(({ id, name, ownerEmail, tier, status, accounts, keys }) => {
        return { id, name, owner: ownerEmail, plan: tier && `${tier}, ${status}`, accounts, keys };
      }),
    );
  },
  async "workspace show"(db, options) {
    requireOption(options, "workspace");
    const { ownerId, workspaceId } = await findTenant(db, options);
    const rows = await listWorkspaces(db, { ownerId, limit: MAX_LISTED });
    return formatRecord(rows.find(({ id }) => id === workspaceId) ?? {});
  },
  async "plan set"(db, options) {
    const tier = requireOneOf("tier", requireOption(options, "tier"), TIERS);
    const status = requireOneOf("status", options.status ?? "active", ["active", "past_due", "canceled"]);
    await savePlan(db, await findTenant(db, options), newId(), {
      tier,
      status,
      paidUntil: requireInstant("until", options.until),
    });
    return `plan ${tier}, ${status}`;
  },
  "key create": (db, options) => createKey(db, options, "key"),
  "grant create": (db, options) => createKey(db, options, "grant"),
  async "key list"(db, options) {
    const rows = await listCredentials(db, await findTenant(db, options), MAX_LISTED);
    if (rows.length === 0) return "There are no keys and no grants.";
    return formatRows(
      rows.map(({ publicId, name, mode, permissions, accountIds, createdAt, lastUsedAt, lastOperation, ...key }) => ({
        id: publicId,
        name,
        mode,
        permissions: permissions ? permissions.join(",") : "all",
        accounts: accountIds ? accountIds.join(",") : "all",
        created: createdAt,
        "last used": lastUsedAt,
        "last operation": lastOperation,
        ends: key.revokedAt ?? key.expiresAt,
      })),
    );
  },
  async "key revoke"(db, options) {
    const id = requireOption(options, "id");
    if (!(await revokeKey(db, id))) throw new Error(`No valid key has the id ${id}.`);
    return `${id} is revoked`;
  },
  async "product create"(db, options) {
    const product = { id: newId(), name: requireOption(options, "name"), description: options.description ?? null };
    await insertProduct(db, await findTenant(db, options), product);
    return `product ${product.id}`;
  },
};

function requireOrigin(url: string): string {
  if (!/^https?:\/\/[^/]+\/?$/.test(url) || !URL.canParse(url))
    throw new Error("--url must be like https://api.example.com.");
  return new URL(url).origin;
}

async function createKey(db: Db, options: OptionValues, kind: "key" | "grant"): Promise<string> {
  const expiresAt = requireInstant("expires", options.expires);
  const name = requireOption(options, "name");
  const permissions =
    options.permissions?.split(",").map((one) => requireOneOf("permissions", one, PERMISSIONS)) ?? null;
  const live = await findTenant(db, options);
  const mode = requireOneOf("mode", options.mode ?? "live", ["live", "test"]);
  const tenant = mode === "test" ? await openTestTenant(db, live) : live;
  const accountIds = options.accounts?.split(",") ?? null;
  const unknown = await findUnknownAccounts(db, tenant, accountIds ?? []);
  if (unknown.length > 0) throw new Error(`--accounts: the tenant has no account ${unknown.join(", ")}.`);
  const token = await insertKey(db, tenant, {
    id: newId(),
    name,
    kind: mode === "test" && kind === "key" ? "test" : kind,
    expiresAt,
    permissions,
    accountIds,
  });
  return `${token}\nThis is the only time that the token is shown.`;
}

/** The test scope is made with its first key, and its accounts with it, whose tokens are encrypted. */
async function openTestTenant(db: Db, live: TenantIds): Promise<TenantIds> {
  const { ownerId, workspaceId } = await openSandbox(db, readTokenKeys(), live);
  return { ownerId, workspaceId };
}
