// The commands of `npm run admin`, by their names.
import { parseArgs } from "node:util";
import { TIERS } from "../../drizzle/schema/tenants.ts";
import type { Db } from "../../lib/services/database.ts";
import { PERMISSIONS } from "../../lib/shared/permissions.ts";
import { ACCOUNT_COMMANDS, readTokenKeys } from "./admin-accounts.ts";
import { APP_COMMANDS } from "./admin-apps.ts";
import { type Command, OPTIONS, rejectSecretArguments, requireOption } from "./admin-options.ts";
import { TENANT_COMMANDS } from "./admin-tenants.ts";
import * as deliveries from "./deliveries.ts";
import { rotateTokenKey } from "./rotate-token-key.ts";

const USAGE = `Usage: npm run admin -- <command> [--option value ...]      (needs DATABASE_URL)

  owner create      --email E --name N
  sign-in link      --owner-email E --url URL            signs the owner in once, within a week, without a mail: for
                                                         deployments that send none, such as previews
  workspace create  --owner-email E --name N
  workspace list    [--owner-email E]                    with plan, accounts and keys
  workspace show    --workspace ID
  plan set          TENANT --tier ${TIERS.join("|")} [--status active|past_due|canceled] [--until ISO]
  key create        TENANT --name N [--expires ISO] [--permissions P,P] [--accounts ID,ID]  prints the token once
                    [--mode test] makes a key of test mode, where nothing is published  (needs TOKEN_KEY)
  grant create      TENANT --name CLIENT [--expires ISO] [--permissions P,P] [--accounts ID,ID] [--mode test]  prints it once
  key list          TENANT                               keys and grants of both modes, without their secrets
  key revoke        --id pk_... or gr_...
  account connect   TENANT --platform P --type byo|hosted --username U --external-id X [--token-expires ISO]
                    [--scopes S,S] names what the token permits: without the one for comments it gets no first comments
                    byo asks for the tokens, or reads them from a pipe, one per line  (needs TOKEN_KEY)
  account list      TENANT
  account show      --id ACCOUNT
  account pause     --id ACCOUNT [--reason TEXT]         its posts wait; its owner reads the reason
  account resume    --id ACCOUNT
  account disconnect --id ACCOUNT [--reason TEXT]        deletes its tokens; its posts wait for a new connection
  account delete    --id ACCOUNT                         only if nothing was posted to it
  app set           TENANT --platform P --client-id C [--scopes S,S] [--uploads-per-day N]
                    the customer's own app at a network; asks for its secret  (needs TOKEN_KEY)
  app list          TENANT                               with the number of accounts that have its tokens
  app remove        TENANT --platform P                  new accounts use the app of the deployment again
  keys rotate-token-key                                  encrypts all tokens and secrets with TOKEN_KEY
                                                         (needs TOKEN_KEY_PREVIOUS; see .github/RUNBOOKS.md)
  product create    TENANT --name N [--description D]    what slideshows can be about
  try-network         NETWORK [--keep]                   posts one private or test post with real credentials and
                                                         prints every request; --help says more  (no DATABASE_URL)
  deliveries stuck    [--minutes M]                      deliveries that are more than M (10) minutes late
  deliveries show     --id DELIVERY                      one delivery with its trace
  deliveries requeue  --id DELIVERY                      makes it due now; a failed one is tried again
  deliveries fail     --id DELIVERY --reason TEXT        ends it; its owner reads the reason
                      [--confirm may-be-published]       needed once the network may have the post

P is one of ${PERMISSIONS.join(", ")}; all without --permissions. posts:write without
posts:publish is drafts only. With --accounts the key sees no other accounts, and nothing that is about one.
TENANT is --workspace ID, or --owner-email E for the personal scope of an owner.`;

const COMMANDS: Record<string, Command> = {
  ...TENANT_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...APP_COMMANDS,
  async "keys rotate-token-key"(db) {
    const keys = readTokenKeys();
    if (!keys.previous) throw new Error("Set TOKEN_KEY_PREVIOUS to the key that TOKEN_KEY replaces.");
    const { replaced, apps, webhooks, failed } = await rotateTokenKey(db, keys, (line) => console.error(line));
    if (failed.length > 0) {
      throw new Error(
        `${replaced} accounts, ${apps} apps and ${webhooks} webhooks done. Neither key decrypts the tokens or the secret of: ${failed.join(", ")}.`,
      );
    }
    return `The tokens of ${replaced} accounts and the secrets of ${apps} apps of customers and ${webhooks} webhooks are encrypted with the current key. TOKEN_KEY_PREVIOUS can go.`;
  },
  "deliveries stuck": (db, { minutes }) => deliveries.listStuck(db, minutes, new Date()),
  "deliveries show": (db, options) => deliveries.show(db, requireOption(options, "id")),
  "deliveries requeue": (db, options) => deliveries.requeue(db, requireOption(options, "id"), new Date()),
  "deliveries fail": (db, options) =>
    deliveries.fail(db, requireOption(options, "id"), requireOption(options, "reason"), options.confirm, new Date()),
};

/** Shows the commands of the same noun; without such a noun, all. */
function describeUnknown(name: string): string {
  const [noun = ""] = name.split(" ");
  const commands = USAGE.split(/\n {2}(?=\w)/).slice(1);
  const found = commands.filter((command) => command.startsWith(`${noun} `)).map((command) => `  ${command.trimEnd()}`);
  const problem = `There is no command "${name}".`;
  if (found.length === 0) return `${problem}\n\n${USAGE}`;
  return `${problem} With "${noun}" there is:\n\n${found.join("\n")}\n\n\`npm run admin\` lists all.`;
}

/** Returns what the command prints; a mistake in its arguments is an error whose message names the fix. */
export async function runAdminCommand(args: string[], openDatabase: () => Db): Promise<string> {
  rejectSecretArguments(args);
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const name = positionals.join(" ");
  const command = COMMANDS[name];
  if (!command) throw new Error(name === "" ? USAGE : describeUnknown(name));
  return command(openDatabase(), values);
}
