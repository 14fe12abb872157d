// Fetches the archives of source packages with apt into `.peers`, and extracts their media.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at } from "../../lib/shared/at.ts";
import { type Suite, TYPES } from "./suites.ts";

const FOLDER = join(import.meta.dirname, "../../.peers");
const RELEASE = "bookworm";

export interface FetchedSuite {
  folder: string;
  /** The upstream version of the archive, which a point release of Debian may change. */
  version: string;
}

/** Why nothing can be fetched on this machine, null when it can. Reads the package lists of the release. */
export function prepareApt(): string | null {
  const configured = run("apt-get", ["indextargets", "--format", "$(ORIGIN) $(SITE)", "Created-By: Packages"]);
  if (configured.error) return "apt-get is not installed: the suites are source packages of Debian";
  const site = /^Debian (\S+)$/m.exec(configured.stdout)?.[1];
  if (!site) return "apt has no mirror of Debian configured";
  mkdirSync(join(FOLDER, "apt/lists/partial"), { recursive: true });
  writeFileSync(join(FOLDER, "apt/sources.list"), `deb-src ${site} ${RELEASE} main\n`);
  const updated = runApt(["update"], FOLDER);
  return updated.status === 0 ? null : `the mirror of Debian cannot be read: ${lastLine(updated)}`;
}

/** Fetches and extracts a suite unless it is there; a text says why that failed. */
export function fetchSuite({ name, folders }: Suite): FetchedSuite | string {
  const folder = join(FOLDER, name);
  const archives = join(FOLDER, "archives", name);
  mkdirSync(archives, { recursive: true });
  if (!findArchive(archives)) {
    const fetched = runApt(["source", "--tar-only", name], archives);
    if (fetched.status !== 0) return lastLine(fetched);
  }
  const archive = findArchive(archives);
  if (!archive) return "the package has no archive";
  const version = /_(.+)\.orig\.tar/.exec(archive)?.[1] ?? "";
  if (existsSync(folder)) return { folder, version };
  const partial = `${folder}.part`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const patterns = folders.flatMap((of) => Object.keys(TYPES).map((ending) => `${of}.${ending}`));
  const flags = ["-xf", join(archives, archive), "-C", partial, "--strip-components=1", "--wildcards"];
  // tar fails when one of the patterns matches nothing.
  const extracted = run("tar", [...flags, ...patterns]);
  if (readdirSync(partial).length === 0) return lastLine(extracted);
  return run("mv", [partial, folder]).status === 0 ? { folder, version } : `${folder} cannot be written`;
}

function findArchive(folder: string): string | undefined {
  return readdirSync(folder).find((file) => /\.orig\.tar\.\w+$/.test(file));
}

/** apt with sources and state of its own, so that the machine's stay as they are. */
function runApt(args: string[], cwd: string): SpawnSyncReturns<string> {
  const options = {
    "Dir::Etc::sourcelist": join(FOLDER, "apt/sources.list"),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::State::lists": join(FOLDER, "apt/lists"),
    "Dir::Cache": join(FOLDER, "apt"),
    "APT::Sandbox::User": "root",
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  return run("apt-get", [...flags, ...args], cwd);
}

function run(command: string, args: string[], cwd?: string): SpawnSyncReturns<string> {
  return spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

function lastLine({ stderr, stdout }: SpawnSyncReturns<string>): string {
  return at((stderr || stdout).trim().split("\n"), -1);
}
