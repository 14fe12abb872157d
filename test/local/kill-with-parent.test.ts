// No process of a Worker outlives a parent that was killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

const KILL_WITH_PARENT = join(import.meta.dirname, "kill-with-parent.ts");

test("a process group is killed when the parent is killed", async () => {
  const group = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  const parentScript = `
    require("node:child_process").fork(${JSON.stringify(KILL_WITH_PARENT)}, ["${group.pid}"], { detached: true, stdio: "ignore" });
    console.log("forked");
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ["-e", parentScript], { stdio: ["ignore", "pipe", "inherit"] });
  await once(parent.stdout, "data");
  const exited = once(group, "exit");
  parent.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);
});
