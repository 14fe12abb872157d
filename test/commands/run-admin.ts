// `npm run admin`, as a process of its own and in the process of a test.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { runAdminCommand } from "../../functions/commands/admin-commands.ts";
import type { Db } from "../../lib/services/database.ts";

const SCRIPT = join(import.meta.dirname, "../../functions/commands/admin.ts");

export interface AdminRun {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a command as operators do, with these settings, and with `input` as its piped standard input. */
export function runAdmin(
  settings: Record<string, string | undefined>,
  args: readonly string[],
  input = "",
): Promise<AdminRun> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { env: { ...process.env, ...settings } });
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.on("data", (chunk) => out.push(String(chunk)));
  child.stderr.on("data", (chunk) => err.push(String(chunk)));
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, out: out.join("").trim(), err: err.join("").trim() }));
  });
}

/** Calls a command as that process does: for commands that read neither settings nor input, and where the exit code does not matter. */
export const callAdmin = (db: Db, args: readonly string[]): Promise<string> => runAdminCommand([...args], () => db);
