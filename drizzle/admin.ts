// `npm run admin -- <noun> <verb> [--option value ...]`: what a deployment begins with, without hand-written SQL.
import { parseArgs } from "node:util";
import { v7 as newId } from "uuid";
import { connect, type Db } from "../lib/db.ts";
import { isUuid } from "../lib/ids.ts";
import { PLATFORMS } from "../lib/platforms/platform.ts";
import * as products from "../lib/queries/products.ts";
import * as tenants from "../lib/queries/tenants.ts";
import { instantFrom } from "../lib/schemas/common.ts";
import { seal } from "../lib/secrets.ts";
import { commandError } from "./command-error.ts";
import { TIERS } from "./schema/tenants.ts";

const USAGE = `Usage: npm run admin -- <command> [--option value ...]      (needs DATABASE_URL)

  owner create      --email E --name N
  workspace create  --owner-email E --name N
  plan set          TENANT --tier ${TIERS.join("|")} [--status active|past_due|canceled] [--until ISO]
  key create        TENANT --name N [--expires ISO]      prints the token once
  grant create      TENANT --name CLIENT [--expires ISO] prints the token once
  key revoke        --id pk_... or gr_...
  account connect   TENANT --platform P --type byo|hosted --username U --external-id X
                    byo: --access-token T [--refresh-token R] [--token-expires ISO]  (needs TOKEN_KEY)
  product create    TENANT --name N [--description D]    what slideshows can be about

TENANT is --workspace ID, or --owner-email E for the personal scope of an owner.`;

const text = { type: "string" } as const;
const OPTIONS = {
  email: text,
  name: text,
  "owner-email": text,
  workspace: text,
  tier: text,
  status: text,
  until: text,
  expires: text,
  id: text,
  platform: text,
  type: text,
  username: text,
  "external-id": text,
  "access-token": text,
  "refresh-token": text,
  "token-expires": text,
  description: text,
};
type Given = { [name in keyof typeof OPTIONS]?: string | undefined };

function need(given: Given, name: keyof Given): string {
  const value = given[name];
  if (!value) throw new Error(`--${name} is missing.`);
  return value;
}

function oneOf<Value extends string>(name: string, value: string, allowed: readonly Value[]): Value {
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new Error(`--${name} must be one of ${allowed.join(", ")}.`);
  return found;
}

function instant(name: string, value: string | undefined): Date | null {
  if (value === undefined) return null;
  const found = instantFrom(value);
  if (!found) throw new Error(`--${name} must be ISO 8601 with an offset, such as 2027-01-31T00:00:00Z.`);
  return found;
}

async function ownerOf(db: Db, email: string): Promise<string> {
  const id = await tenants.findOwner(db, email);
  if (!id)
    throw new Error(`No owner has the address ${email}. Create one with: owner create --email ${email} --name ...`);
  return id;
}

async function tenantOf(db: Db, given: Given): Promise<tenants.Tenant> {
  if (given.workspace) {
    const tenant = isUuid(given.workspace) ? await tenants.findWorkspace(db, given.workspace) : null;
    if (!tenant) throw new Error(`There is no workspace ${given.workspace}.`);
    return tenant;
  }
  return { ownerId: await ownerOf(db, need(given, "owner-email")), workspaceId: null };
}

async function createKey(db: Db, given: Given, kind: "key" | "grant"): Promise<string> {
  const expiresAt = instant("expires", given.expires);
  const name = need(given, "name");
  const token = await tenants.createKey(db, await tenantOf(db, given), { id: newId(), name, kind, expiresAt });
  return `${token}\nThis is the only time that the token is shown.`;
}

async function connectAccount(db: Db, given: Given): Promise<string> {
  const id = newId();
  const username = need(given, "username");
  const type = oneOf("type", need(given, "type"), ["byo", "hosted"]);
  await tenants.connectAccount(db, await tenantOf(db, given), {
    id,
    platform: oneOf("platform", need(given, "platform"), PLATFORMS),
    type,
    status: "active",
    username,
    displayName: given.name ?? username,
    externalId: need(given, "external-id"),
    accessToken: type === "hosted" ? null : await sealed(need(given, "access-token")),
    refreshToken: given["refresh-token"] ? await sealed(given["refresh-token"]) : null,
    tokenExpiresAt: instant("token-expires", given["token-expires"]),
  });
  return `account ${id}`;
}

function sealed(token: string): Promise<string> {
  const { TOKEN_KEY } = process.env;
  if (!TOKEN_KEY) throw new Error("Set TOKEN_KEY to the key of the deployment: tokens are stored sealed.");
  return seal(TOKEN_KEY, token);
}

const COMMANDS: Record<string, (db: Db, given: Given) => Promise<string>> = {
  async "owner create"(db, given) {
    const owner = { id: newId(), email: need(given, "email"), name: need(given, "name") };
    if (await tenants.findOwner(db, owner.email)) throw new Error(`There is an owner ${owner.email} already.`);
    const tenant = await tenants.createOwner(db, owner);
    return `owner ${tenant.ownerId}`;
  },
  async "workspace create"(db, given) {
    const ownerId = await ownerOf(db, need(given, "owner-email"));
    const tenant = await tenants.createWorkspace(db, { id: newId(), ownerId, name: need(given, "name") });
    return `workspace ${tenant.workspaceId}`;
  },
  async "plan set"(db, given) {
    const tier = oneOf("tier", need(given, "tier"), TIERS);
    const status = oneOf("status", given.status ?? "active", ["active", "past_due", "canceled"]);
    await tenants.setPlan(db, await tenantOf(db, given), newId(), {
      tier,
      status,
      paidUntil: instant("until", given.until),
    });
    return `plan ${tier}, ${status}`;
  },
  "key create": (db, given) => createKey(db, given, "key"),
  "grant create": (db, given) => createKey(db, given, "grant"),
  async "key revoke"(db, given) {
    const id = need(given, "id");
    if (!(await tenants.revokeKey(db, id))) throw new Error(`There is no key ${id} that is still good.`);
    return `${id} is refused from now on`;
  },
  "account connect": connectAccount,
  async "product create"(db, given) {
    const product = { id: newId(), name: need(given, "name"), description: given.description ?? null };
    await products.insert(db, await tenantOf(db, given), product);
    return `product ${product.id}`;
  },
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const command = COMMANDS[positionals.join(" ")];
  if (!command) throw new Error(USAGE);
  const { DATABASE_URL, DATABASE_FETCH_URL } = process.env;
  if (!DATABASE_URL) throw new Error("Set DATABASE_URL to the Postgres of the deployment.");
  console.log(await command(connect({ DATABASE_URL, DATABASE_FETCH_URL }, "admin"), values));
}

main().catch((error: unknown) => {
  console.error(commandError(error));
  process.exit(1);
});
