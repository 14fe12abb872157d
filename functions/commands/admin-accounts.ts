// `npm run admin -- account ...`: social accounts of customers.
import { v7 as newId } from "uuid";
import { disconnectOwnAccount } from "../../lib/queries/connected-accounts.ts";
import {
  deleteUnusedAccount,
  findOperatedAccount,
  listOperatedAccounts,
  setAccountPaused,
} from "../../lib/queries/operated-accounts.ts";
import { insertAccount } from "../../lib/queries/tenants.ts";
import type { Db } from "../../lib/services/database.ts";
import { PLATFORMS } from "../../lib/shared/platforms.ts";
import { encryptTokens, type TokenKeys } from "../../lib/shared/token-encryption.ts";
import {
  type Command,
  findTenant,
  formatRecord,
  formatRows,
  type OptionValues,
  readSecrets,
  requireId,
  requireInstant,
  requireOneOf,
  requireOption,
} from "./admin-options.ts";

const MAX_LISTED = 500;
const PAUSED_BY_OPERATOR = "Paused by the operator of this service.";
const DISCONNECTED_BY_OPERATOR = "Disconnected by the operator of this service. Connect the account again.";

export const ACCOUNT_COMMANDS: Record<string, Command> = {
  "account connect": connectAccount,
  async "account list"(db, options) {
    const rows = await listOperatedAccounts(db, await findTenant(db, options), MAX_LISTED);
    if (rows.length === 0) return "There are no accounts.";
    return formatRows(
      rows.map(({ id, platform, type, status, username, tokenExpiresAt, statusReason }) => {
        return { id, platform, type, status, username, "token ends": tokenExpiresAt, reason: statusReason };
      }),
    );
  },
  "account show": async (db, options) => formatRecord(await requireAccount(db, options)),
  async "account pause"(db, options) {
    const { id, username, status } = await requireAccount(db, options);
    const reason = options.reason ?? PAUSED_BY_OPERATOR;
    if (!(await setAccountPaused(db, id, reason, new Date()))) throw unchanged(username, status);
    return `${username} is paused: its posts wait until it is resumed, for 24 hours after their time. Its owner reads: ${reason}`;
  },
  async "account resume"(db, options) {
    const { id, username, status } = await requireAccount(db, options);
    if (!(await setAccountPaused(db, id, null, new Date()))) throw unchanged(username, status);
    return `${username} is active; cron enqueues what is due within a minute.`;
  },
  async "account disconnect"(db, options) {
    const { id, username, type, scopeId, openDeliveries } = await requireAccount(db, options);
    if (type === "hosted") throw new Error(`${username} is a hosted account: pause it instead.`);
    const reason = options.reason ?? DISCONNECTED_BY_OPERATOR;
    const scope = { id: scopeId, ownerId: scopeId, workspaceId: null };
    await disconnectOwnAccount(db, scope, id, { now: new Date(), reason });
    return `${username} is disconnected and its tokens are deleted; ${openDeliveries} posts wait for it. The consent at the network still stands: its owner can end it there.`;
  },
  async "account delete"(db, options) {
    const { id, username, deliveries } = await requireAccount(db, options);
    if (!(await deleteUnusedAccount(db, id)))
      throw new Error(`${username} has ${deliveries} posts, which would lose their account. Disconnect it instead.`);
    return `${username} is deleted`;
  },
};

async function requireAccount(db: Db, options: OptionValues) {
  const id = requireId(options, "an account");
  const found = await findOperatedAccount(db, id);
  if (!found) throw new Error(`There is no account ${id}.`);
  return found;
}

function unchanged(username: string, status: string): Error {
  return new Error(`${username} is ${status}: nothing was changed. It becomes active when it is connected again.`);
}

async function connectAccount(db: Db, options: OptionValues): Promise<string> {
  const id = newId();
  const username = requireOption(options, "username");
  const type = requireOneOf("type", requireOption(options, "type"), ["byo", "hosted"]);
  const account = {
    id,
    platform: requireOneOf("platform", requireOption(options, "platform"), PLATFORMS),
    type,
    status: "active" as const,
    username,
    displayName: options.name ?? username,
    externalId: requireOption(options, "external-id"),
    tokenExpiresAt: requireInstant("token-expires", options["token-expires"]),
    grantedScopes: options.scopes?.split(",") ?? null,
  };
  const tenant = await findTenant(db, options);
  await insertAccount(db, tenant, { ...account, ...(await readEncryptedTokens(type, id)) });
  return `account ${id}`;
}

/** Tokens as the row stores them; a hosted account has none. */
async function readEncryptedTokens(type: "byo" | "hosted", accountId: string) {
  if (type === "hosted") return { accessToken: null, refreshToken: null };
  const keys = readTokenKeys();
  const [accessToken = "", refreshToken = ""] = await readSecrets([
    "Access token",
    "Refresh token, or nothing if the network issues none",
  ]);
  if (accessToken === "") throw new Error("The access token is missing: it is the first line of the standard input.");
  return encryptTokens(keys, accountId, { accessToken, refreshToken: refreshToken === "" ? null : refreshToken });
}

export function readTokenKeys(): TokenKeys {
  const { TOKEN_KEY, TOKEN_KEY_PREVIOUS } = process.env;
  if (!TOKEN_KEY) throw new Error("Set TOKEN_KEY to the key of the deployment: tokens are stored encrypted.");
  return { current: TOKEN_KEY, previous: TOKEN_KEY_PREVIOUS };
}
