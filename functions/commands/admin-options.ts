// The options of `npm run admin`, and what its commands read from them.

import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { findOwner, findWorkspace, type TenantIds } from "../../lib/queries/tenants.ts";
import { readInstant } from "../../lib/schemas/common.ts";
import type { Db } from "../../lib/services/database.ts";
import { at } from "../../lib/shared/at.ts";
import { isUuid } from "../../lib/shared/ids.ts";

const text = { type: "string" } as const;
export const OPTIONS = {
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
  "token-expires": text,
  description: text,
  minutes: text,
  reason: text,
  confirm: text,
  permissions: text,
  accounts: text,
  "client-id": text,
  scopes: text,
  "uploads-per-day": text,
  mode: text,
  url: text,
};
export type OptionValues = { [name in keyof typeof OPTIONS]?: string | undefined };

export type Command = (db: Db, options: OptionValues) => Promise<string>;

export function requireOption(options: OptionValues, name: keyof OptionValues): string {
  const value = options[name];
  if (!value) throw new Error(`--${name} is missing.`);
  return value;
}

export function requireOneOf<Value extends string>(name: string, value: string, allowed: readonly Value[]): Value {
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new Error(`--${name} must be one of ${allowed.join(", ")}.`);
  return found;
}

export function requireInstant(name: string, value: string | undefined): Date | null {
  if (value === undefined) return null;
  const read = readInstant(value);
  if ("problem" in read) throw new Error(`--${name}: ${read.problem}`);
  return read.at;
}

/** `--id`, which names one of `what`. */
export function requireId(options: OptionValues, what: string): string {
  const id = requireOption(options, "id");
  if (!isUuid(id)) throw new Error(`--id must be the UUID of ${what}.`);
  return id;
}

export async function findOwnerId(db: Db, email: string): Promise<string> {
  const id = await findOwner(db, email);
  if (!id)
    throw new Error(`No owner has the email ${email}. Create one with: owner create --email ${email} --name ...`);
  return id;
}

export async function findTenant(db: Db, options: OptionValues): Promise<TenantIds> {
  if (options.workspace) {
    const tenant = isUuid(options.workspace) ? await findWorkspace(db, options.workspace) : null;
    if (!tenant) throw new Error(`There is no workspace ${options.workspace}.`);
    return tenant;
  }
  return { ownerId: await findOwnerId(db, requireOption(options, "owner-email")), workspaceId: null };
}

/** Options that would hold a secret. Arguments are visible to other users, and stay in the shell's history. */
const SECRET_OPTIONS = ["--access-token", "--refresh-token", "--token", "--client-secret", "--secret"];

/** Throws when a secret is among the arguments; the message does not repeat it. */
export function rejectSecretArguments(args: readonly string[]): void {
  const found = SECRET_OPTIONS.find((name) => args.some((arg) => arg === name || arg.startsWith(`${name}=`)));
  if (!found) return;
  throw new Error(
    `${found} is not accepted: other users can see arguments, and the shell keeps them. Leave it out; the command asks for it, or reads it from a pipe, one per line.`,
  );
}

/** Reads secrets, one per line: from a pipe, or with a prompt that does not show what is typed. A missing line is "". */
export async function readSecrets(prompts: readonly string[]): Promise<string[]> {
  const isTerminal = process.stdin.isTTY === true;
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal });
  const answers: string[] = [];
  const iterator = lines[Symbol.asyncIterator]();
  for (const prompt of prompts) {
    if (isTerminal) process.stderr.write(`${prompt} (not shown): `);
    const { value = "", done } = await iterator.next();
    if (isTerminal) process.stderr.write("\n");
    answers.push(String(value).trim());
    if (done) break;
  }
  lines.close();
  return prompts.map((_, index) => answers[index] ?? "");
}

/** Columns of equal width, with a header; "-" for what is null. */
export function formatRows(rows: readonly Record<string, unknown>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = [names, ...rows.map((row) => names.map((name) => formatValue(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((line) => at(line, column).length)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(at(widths, column)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One line per column of a single row. */
export function formatRecord(row: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(row).map((name) => name.length));
  return Object.entries(row)
    .map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}`)
    .join("\n");
}

function formatValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return value === null || value === undefined || value === "" ? "-" : String(value);
}
