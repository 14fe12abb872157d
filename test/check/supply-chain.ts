// Checks the lockfile: integrity of every package, and the licences of what is shipped. `--write` updates THIRD_PARTY.md.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const NOTICES = join(ROOT, ".github/THIRD_PARTY.md");

interface LockedPackage {
  version: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  /** Only what optional peers of a package need, such as its test runner. */
  peer?: boolean;
  optional?: boolean;
  os?: string[];
}

export type Lockfile = Record<string, LockedPackage>;

/** Licences that ask for no more than attribution. */
const PERMISSIVE = [
  "CC0-1.0",
  "MIT",
  "Apache-2.0",
  "(MIT OR Apache-2.0)",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "OFL-1.1",
];

/** Packages whose licence needs a decision, each with the reason that it may be shipped. */
const DECISIONS: Record<string, { license: string; reason: string }> = {
  mediabunny: {
    license: "MPL-2.0",
    reason: "copyleft of single files: shipped unmodified, its source is the published package",
  },
  // The package declares no licence; its LICENSE file is the Apache one.
  "@ambassify/twitter-text": { license: "Apache-2.0", reason: "as its LICENSE file says" },
  "@fontsource/dejavu-sans": {
    license: "OFL-1.1",
    reason: "its LICENSE file has the terms of Bitstream Vera and Arev, which allow shipping the unmodified font too",
  },
};

/** Development packages whose files are shipped as assets. */
const SHIPPED_ASSETS: string[] = [];

const ATTRIBUTION = `The emoji pictures are Twemoji, copyright Twitter, Inc. and other contributors, licensed under
CC-BY 4.0 (https://creativecommons.org/licenses/by/4.0/), unmodified except for their format (a COLR font).`;

const getName = (path: string) => path.replace(/^.*node_modules\//, "");

/** Packages that npm could install without comparing their bytes. Those of other systems are reported apart. */
export function findUnverified(packages: Lockfile): { here: string[]; elsewhere: string[] } {
  const missing = Object.entries(packages).filter(([path, { link, integrity }]) => path !== "" && !link && !integrity);
  const isElsewhere = ([, { optional, os }]: [string, LockedPackage]) => optional === true && os !== undefined;
  const names = (entries: [string, LockedPackage][]) => entries.map(([path]) => getName(path));
  return { here: names(missing.filter((entry) => !isElsewhere(entry))), elsewhere: names(missing.filter(isElsewhere)) };
}

/** One sentence for each shipped package whose licence is neither permissive nor decided. */
export function findLicenceProblems(packages: Lockfile): string[] {
  return listShipped(packages).flatMap(({ name, license }) => {
    const known = PERMISSIVE.includes(license) || DECISIONS[name]?.license === license;
    return known ? [] : `${name} is shipped under ${license}, which is not in the list of test/check/supply-chain.ts.`;
  });
}

function listShipped(packages: Lockfile) {
  return Object.entries(packages)
    .filter(([path, { link, dev, devOptional, peer }]) => {
      const asset = SHIPPED_ASSETS.includes(getName(path));
      return path !== "" && !link && (asset || (!dev && !devOptional && !peer));
    })
    .map(([path, { version, license }]) => {
      const name = getName(path);
      return { name, version, license: license ?? DECISIONS[name]?.license ?? "no licence" };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function buildNotices(packages: Lockfile): string {
  const rows = listShipped(packages).map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`);
  const decisions = Object.entries(DECISIONS).map(([name, { license, reason }]) => `- ${name}, ${license}: ${reason}.`);
  return [
    "# Third-party packages that are shipped",
    "Written by `node test/check/supply-chain.ts --write`; `npm run check` fails when it is stale.",
    ATTRIBUTION,
    decisions.join("\n"),
    ["| Package | Version | Licence |", "| --- | --- | --- |", ...rows].join("\n"),
  ]
    .join("\n\n")
    .concat("\n");
}

if (import.meta.main) {
  const { packages }: { packages: Lockfile } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const notices = buildNotices(packages);
  if (process.argv.includes("--write")) writeFileSync(NOTICES, notices);
  const { here, elsewhere } = findUnverified(packages);
  const problems = [
    ...here.map((name) => `${name} has no integrity in package-lock.json.`),
    ...findLicenceProblems(packages),
    ...(readFileSync(NOTICES, "utf8") === notices ? [] : [`${NOTICES} is stale: run this script with --write.`]),
  ];
  for (const problem of problems) console.error(problem);
  const total = Object.keys(packages).length - 1;
  console.log(`Supply chain: ${total} packages, ${listShipped(packages).length} shipped, ${problems.length} problems.`);
  if (elsewhere.length > 0)
    console.log(`Without integrity, and only for other systems: ${elsewhere.length} optional packages.`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
