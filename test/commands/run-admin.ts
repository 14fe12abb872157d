// `npm run admin` as a process of its own, as operators run it.
import { spawn } from "node:child_process";
import { join } from "node:path";

const SCRIPT = join(import.meta.dirname, "../../functions/commands/admin.ts");

export interface AdminRun {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a command with these settings, and with `input` as its piped standard input. */
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
