// Installs a real Bluesky server (PDS) into `.pds`, apart from the packages of this service: its database driver is
// compiled here, because the packages that download a compiled one stall on machines without internet.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
export const PDS_FOLDER = join(ROOT, ".pds");
const DRIVER = join(PDS_FOLDER, "node_modules/better-sqlite3");
const STAMP = join(PDS_FOLDER, "installed");
const TOOLS = ["c++", "make", "python3"];

/** Why tests cannot use the server, null when they can. */
export function findMissing(): string | null {
  return isInstalled()
    ? null
    : (findMissingTools() ?? "it is not installed: `npm test -- --project pds` installs it first");
}

function findMissingTools(): string | null {
  const missing = TOOLS.filter((tool) => spawnSync(tool, ["--version"]).error);
  return missing.length > 0 ? `the tools that compile its database driver are missing: ${missing.join(", ")}` : null;
}

/** Names the packages and the version of Node, so that a change of either installs again. */
function createStamp(): string {
  return `${process.version}\n${readFileSync(join(import.meta.dirname, "package-lock.json"), "utf8")}`;
}

function isInstalled(): boolean {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === createStamp();
}

/** Returns why the server cannot be installed on this machine, null once it is. */
export function installPds(): string | null {
  if (isInstalled()) return null;
  const missing = findMissingTools();
  if (missing) return missing;
  mkdirSync(PDS_FOLDER, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) {
    copyFileSync(join(import.meta.dirname, name), join(PDS_FOLDER, name));
  }
  console.log(
    "Installing the Bluesky server into .pds and compiling its database driver; this takes about two minutes.",
  );
  const failed = run("npm", ["ci", "--ignore-scripts", "--no-audit"], PDS_FOLDER) ?? compileDriver();
  if (failed) return failed;
  writeFileSync(STAMP, createStamp());
  return null;
}

function compileDriver(): string | null {
  const headers = findHeaders();
  const gyp = join(PDS_FOLDER, "node_modules/node-gyp/bin/node-gyp.js");
  // In the environment, which node-gyp prefers to its options: npm sets it to the headers of another Node on machines
  // whose npm has a setting `nodedir`.
  const { npm_config_nodedir: _other, ...env } = process.env;
  // Two jobs: the driver is one large file, and the extension that tests it.
  return run(process.execPath, [gyp, "rebuild", "--release", "--jobs=2"], DRIVER, {
    ...env,
    ...(headers ? { npm_config_nodedir: headers } : {}),
  });
}

function run(command: string, args: string[], cwd: string, env = process.env): string | null {
  const { status, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status === 0) return null;
  return `${command} ${args[0]} failed: ${error?.message ?? stderr.trim().split("\n").slice(-5).join(" ")}`;
}

/** The folder with the headers of the running Node; null when they have to be downloaded. */
function findHeaders(): string | null {
  const platform = join(ROOT, "node_modules/node/node_modules");
  const packaged = existsSync(platform) ? readdirSync(platform).map((name) => join(platform, name)) : [];
  const installed = dirname(dirname(process.execPath));
  return (
    [installed, ...packaged].find((folder) => isOfThisVersion(join(folder, "include/node/node_version.h"))) ?? null
  );
}

function isOfThisVersion(header: string): boolean {
  if (!existsSync(header)) return false;
  const text = readFileSync(header, "utf8");
  const numbers = ["MAJOR", "MINOR", "PATCH"].map((part) => new RegExp(`NODE_${part}_VERSION (\\d+)`).exec(text)?.[1]);
  return `v${numbers.join(".")}` === process.version;
}

/** Vitest calls this before the tests. */
export function setup(): void {
  const reason = installPds();
  if (reason) console.warn(`No Bluesky server is installed: ${reason}.`);
}
