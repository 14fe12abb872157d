// Tests of the check of the lockfile.
import { expect, test } from "vitest";
import { buildNotices, findLicenceProblems, findUnverified, type Lockfile } from "./supply-chain.ts";

const packages: Lockfile = {
  "": { version: "1.0.0" },
  "node_modules/a": { version: "1.0.0", integrity: "sha512-x", license: "MIT" },
  "node_modules/b/node_modules/gpl": { version: "2.0.0", integrity: "sha512-x", license: "GPL-3.0-only" },
  "node_modules/tool": { version: "3.0.0", license: "GPL-3.0-only", dev: true },
  "node_modules/mac": { version: "1.0.0", license: "MIT", dev: true, optional: true, os: ["darwin"] },
  "node_modules/mediabunny": { version: "1.0.0", integrity: "sha512-x", license: "MPL-2.0" },
  "node_modules/unknown": { version: "1.0.0", integrity: "sha512-x" },
};

test("a package without integrity is reported, those of other systems apart", () => {
  expect(findUnverified(packages)).toEqual({ here: ["tool"], elsewhere: ["mac"] });
});

test("a shipped package under copyleft or without a licence is reported", () => {
  expect(findLicenceProblems(packages)).toEqual([
    expect.stringContaining("gpl is shipped under GPL-3.0-only"),
    expect.stringContaining("unknown is shipped under no licence"),
  ]);
});

test("the notices list what is shipped and name Twemoji", () => {
  const notices = buildNotices(packages);
  expect(notices).toContain("| mediabunny | 1.0.0 | MPL-2.0 |");
  expect(notices).not.toContain("| tool |");
  expect(notices).toContain("CC-BY 4.0");
});
