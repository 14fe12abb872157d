// Runs the commands of README's tour in every given shell, with an empty HOME: node test/check/tour.ts bash zsh fish.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const MAX_LINE = 120;

const [, section = ""] = /^## A tour\n([\s\S]*?)^## /m.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
if (blocks.length === 0) throw new Error("README has no tour.");
const long = blocks
  .join("")
  .split("\n")
  .filter((line) => line.length > MAX_LINE);
if (long.length > 0) throw new Error(`Longer than ${MAX_LINE} characters: ${long.join("\n")}`);

const shells = process.argv.slice(2);
for (const shell of shells.length > 0 ? shells : ["bash"]) {
  const home = mkdtempSync(join(tmpdir(), "tour-home-"));
  for (const line of blocks.join("").trim().split("\n")) {
    const env = { PATH: process.env.PATH ?? "", HOME: home, LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH ?? "" };
    const { status, stdout, stderr, error } = spawnSync(shell, ["-c", line], { cwd: ROOT, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${shell}: ${line}\n${error?.message ?? `${stderr}\n${stdout}`}`);
  }
  rmSync(home, { recursive: true, force: true });
  console.log(`${shell}: ${blocks.join("").trim().split("\n").length} commands passed`);
}
