// `npm run admin -- <noun> <verb> [--option value ...]`: creates owners, workspaces, plans, keys and accounts.
import { parseArgs } from "node:util";
import { v7 as newId } from "uuid";
import * as products from "../../lib/queries/products.ts";
import * as tenants from "../../lib/queries/tenants.ts";
import { parseInstant } from "../../lib/schemas/common.ts";
import { type Db, openDatabase } from "../../lib/services/database.ts";
import { isUuid } from "../../lib/shared/ids.ts";
import { PERMISSIONS } from "../../lib/shared/permissions.ts";
import { PLATFORMS } from "../../lib/shared/platforms.ts";
import { encryptTokens, type TokenKeys } from "../../lib/shared/token-encryption.ts";
import { TIERS } from "../schema/tenants.ts";
import * as deliveries from "./deliveries.ts";
import { formatCommandError } from "./format-command-error.ts";
import { rotateTokenKey } from "./rotate-token-key.ts";

const USAGE = `Usage: npm run admin -- <command> [--option value ...]      (needs DATABASE_URL)

  owner create      --email E --name N
  workspace create  --owner-email E --name N
  plan set          TENANT --tier ${TIERS.join("|")} [--status active|past_due|canceled] [--until ISO]
  key create        TENANT --name N [--expires ISO] [--permissions P,P]  prints the token once
  grant create      TENANT --name CLIENT [--expires ISO] [--permissions P,P]  prints the token once
  key revoke        --id pk_... or gr_...
  account connect   TENANT --platform P --type byo|hosted --username U --external-id X
                    byo: --access-token T [--refresh-token R] [--token-expires ISO]  (needs TOKEN_KEY)
  keys rotate-token-key                                  encrypts all tokens with TOKEN_KEY
                                                         (needs TOKEN_KEY_PREVIOUS; see README)
  product create    TENANT --name N [--description D]    what slideshows can be about
  deliveries stuck    [--minutes M]                      deliveries that are more than M (10) minutes late
  deliveries show     --id DELIVERY                      one delivery with its trace
  deliveries requeue  --id DELIVERY                      makes it due now; a failed one is tried again
  deliveries fail     --id DELIVERY --reason TEXT        ends it; its owner reads the reason
                      [--confirm may-be-published]       needed once the network may have the post

P is one of ${PERMISSIONS.join(", ")}; all without --permissions.
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
  minutes: text,
  reason: text,
  confirm: text,
  permissions: text,
};
type OptionValues = { [name in keyof typeof OPTIONS]?: string | undefined };

function requireOption(options: OptionValues, name: keyof OptionValues): string {
  const value = options[name];
  if (!value) throw new Error(`--${name} is missing.`);
  return value;
}

function requireOneOf<Value extends string>(name: string, value: string, allowed: readonly Value[]): Value {
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new Error(`--${name} must be one of ${allowed.join(", ")}.`);
  return found;
}

function requireInstant(name: string, value: string | undefined): Date | null {
  if (value === undefined) return null;
  const found = parseInstant(value);
  if (!found) throw new Error(`--${name} must be ISO 8601 with an offset, such as 2027-01-31T00:00:00Z.`);
  return found;
}

async function findOwnerId(db: Db, email: string): Promise<string> {
  const id = await tenants.findOwner(db, email);
  if (!id)
    throw new Error(`No owner has the email ${email}. Create one with: owner create --email ${email} --name ...`);
  return id;
}

async function findTenant(db: Db, options: OptionValues): Promise<tenants.Tenant> {
  if (options.workspace) {
    const tenant = isUuid(options.workspace) ? await tenants.findWorkspace(db, options.workspace) : null;
    if (!tenant) throw new Error(`There is no workspace ${options.workspace}.`);
    return tenant;
  }
  return { ownerId: await findOwnerId(db, requireOption(options, "owner-email")), workspaceId: null };
}

async function createKey(db: Db, options: OptionValues, kind: "key" | "grant"): Promise<string> {
  const expiresAt = requireInstant("expires", options.expires);
  const name = requireOption(options, "name");
  const permissions =
    options.permissions?.split(",").map((one) => requireOneOf("permissions", one, PERMISSIONS)) ?? null;
  const key = { id: newId(), name, kind, expiresAt, permissions };
  const token = await tenants.createKey(db, await findTenant(db, options), key);
  return `${token}\nThis is the only time that the token is shown.`;
}

async function connectAccount(db: Db, options: OptionValues): Promise<string> {
  const id = newId();
  const username = requireOption(options, "username");
  const type = requireOneOf("type", requireOption(options, "type"), ["byo", "hosted"]);
  await tenants.connectAccount(db, await findTenant(db, options), {
    id,
    platform: requireOneOf("platform", requireOption(options, "platform"), PLATFORMS),
    type,
    status: "active",
    username,
    displayName: options.name ?? username,
    externalId: requireOption(options, "external-id"),
    ...(await encryptGivenTokens(type, id, options)),
    tokenExpiresAt: requireInstant("token-expires", options["token-expires"]),
  });
  return `account ${id}`;
}

/** Tokens as the row stores them; a hosted account has none. */
async function encryptGivenTokens(type: "byo" | "hosted", accountId: string, options: OptionValues) {
  if (type === "hosted") return { accessToken: null, refreshToken: null };
  const accessToken = requireOption(options, "access-token");
  return encryptTokens(readTokenKeys(), accountId, { accessToken, refreshToken: options["refresh-token"] ?? null });
}

function readTokenKeys(): TokenKeys {
  const { TOKEN_KEY, TOKEN_KEY_PREVIOUS } = process.env;
  if (!TOKEN_KEY) throw new Error("Set TOKEN_KEY to the key of the deployment: tokens are stored encrypted.");
  return { current: TOKEN_KEY, previous: TOKEN_KEY_PREVIOUS };
}

const COMMANDS: Record<string, (db: Db, options: OptionValues) => Promise<string>> = {
  async "owner create"(db, options) {
    const owner = { id: newId(), email: requireOption(options, "email"), name: requireOption(options, "name") };
    if (await tenants.findOwner(db, owner.email))
      throw new Error(`An owner with the email ${owner.email} already exists.`);
    const tenant = await tenants.createOwner(db, owner);
    return `owner ${tenant.ownerId}`;
  },
  async "workspace create"(db, options) {
    const ownerId = await findOwnerId(db, requireOption(options, "owner-email"));
    const tenant = await tenants.createWorkspace(db, { id: newId(), ownerId, name: requireOption(options, "name") });
    return `workspace ${tenant.workspaceId}`;
  },
  async "plan set"(db, options) {
    const tier = requireOneOf("tier", requireOption(options, "tier"), TIERS);
    const status = requireOneOf("status", options.status ?? "active", ["active", "past_due", "canceled"]);
    await tenants.setPlan(db, await findTenant(db, options), newId(), {
      tier,
      status,
      paidUntil: requireInstant("until", options.until),
    });
    return `plan ${tier}, ${status}`;
  },
  "key create": (db, options) => createKey(db, options, "key"),
  "grant create": (db, options) => createKey(db, options, "grant"),
  async "key revoke"(db, options) {
    const id = requireOption(options, "id");
    if (!(await tenants.revokeKey(db, id))) throw new Error(`No valid key has the id ${id}.`);
    return `${id} is revoked`;
  },
  "account connect": connectAccount,
  async "keys rotate-token-key"(db) {
    const keys = readTokenKeys();
    if (!keys.previous) throw new Error("Set TOKEN_KEY_PREVIOUS to the key that TOKEN_KEY replaces.");
    const { replaced, failed } = await rotateTokenKey(db, keys, (line) => console.error(line));
    if (failed.length > 0) {
      throw new Error(`${replaced} accounts done. Neither key decrypts the tokens of: ${failed.join(", ")}.`);
    }
    return `The tokens of ${replaced} accounts are encrypted with the current key. TOKEN_KEY_PREVIOUS can go.`;
  },
  async "product create"(db, options) {
    const product = { id: newId(), name: requireOption(options, "name"), description: options.description ?? null };
    await products.insert(db, await findTenant(db, options), product);
    return `product ${product.id}`;
  },
  "deliveries stuck": (db, { minutes }) => deliveries.listStuck(db, minutes, new Date()),
  "deliveries show": (db, options) => deliveries.show(db, requireOption(options, "id")),
  "deliveries requeue": (db, options) => deliveries.requeue(db, requireOption(options, "id"), new Date()),
  "deliveries fail": (db, options) =>
    deliveries.fail(db, requireOption(options, "id"), requireOption(options, "reason"), options.confirm, new Date()),
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const name = positionals.join(" ");
  const command = COMMANDS[name];
  if (!command) throw new Error(name === "" ? USAGE : `There is no command "${name}".\n\n${USAGE}`);
  const { DATABASE_URL, DATABASE_FETCH_URL } = process.env;
  if (!DATABASE_URL) throw new Error("Set DATABASE_URL to the Postgres of the deployment.");
  console.log(await command(openDatabase({ DATABASE_URL, DATABASE_FETCH_URL }, "admin"), values));
}

main().catch((error: unknown) => {
  console.error(formatCommandError(error));
  process.exit(1);
});
