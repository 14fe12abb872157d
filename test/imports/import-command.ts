// Runs `npm run import -- videos FILE` as a command.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
export const IMPORT_COMMAND = join(ROOT, "functions/commands/import.ts");

/** Writes a line for each value: strings as they are, others as JSON. Returns the file. */
export async function writeImportFile(file: string, lines: unknown[]): Promise<string> {
  await writeFile(file, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return file;
}

/** `env` has the address of the database. */
export function startVideoImport(file: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [IMPORT_COMMAND, "videos", file], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export async function runVideoImport(
  file: string,
  env: Record<string, string>,
): Promise<{ code: number; output: string }> {
  const child = startVideoImport(file, env);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  return { code, output };
}
