// `npm run admin -- <noun> <verb> [--option value ...]`: customers, their accounts and their deliveries.
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, openCommandDatabase } from "../../lib/services/database.ts";
import { runAdminCommand } from "./admin-commands.ts";
import { formatCommandError } from "./format-command-error.ts";

async function runTryNetwork(args: string[]): Promise<void> {
  const { tryNetwork } = await import("./try-network/try-network.ts");
  const log = (line: string) => console.log(line);
  process.exitCode = await tryNetwork(args, { env: process.env, log, sleep: async (ms) => void (await sleep(ms)) });
}

function openDatabase(): Db {
  const { DATABASE_URL, DATABASE_FETCH_URL } = process.env;
  if (!DATABASE_URL) throw new Error("Set DATABASE_URL to the Postgres of the deployment.");
  return openCommandDatabase({ DATABASE_URL, DATABASE_FETCH_URL }, "admin");
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args[0] === "try-network") return runTryNetwork(args.slice(1));
  console.log(await runAdminCommand(args, openDatabase));
}

main().catch((error: unknown) => {
  console.error(formatCommandError(error));
  process.exit(1);
});
