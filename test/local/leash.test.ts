// Nothing of a Worker outlives a process that is killed without a chance to stop it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

const LEASH = join(import.meta.dirname, "leash.ts");

test("a process group ends with the process that forked its leash", async () => {
  const group = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  const owning = `
    require("node:child_process").fork(${JSON.stringify(LEASH)}, ["${group.pid}"], { detached: true, stdio: "ignore" });
    console.log("forked");
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ["-e", owning], { stdio: ["ignore", "pipe", "inherit"] });
  await once(owner.stdout, "data");
  const ended = once(group, "exit");
  owner.kill("SIGKILL");
  expect(await ended).toEqual([null, "SIGKILL"]);
});
