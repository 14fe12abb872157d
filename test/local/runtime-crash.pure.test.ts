import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watchForCrash } from "./runtime-crash.ts";

test("a crash is found once, also in two parts, and not if it was there before", async () => {
  const folder = await mkdtemp(join(tmpdir(), "runtime-crash-"));
  const log = join(folder, "worker.log");
  const hasCrashedEver = watchForCrash(log);
  expect(hasCrashedEver()).toBe(false);
  await appendFile(log, "héllo\n[mf:error] The Workers runtime crashed unexp");
  expect(hasCrashedEver()).toBe(false);
  await appendFile(log, "ectedly and is being restarted (crash #1).\n");
  const hasCrashedSince = watchForCrash(log);
  expect([hasCrashedEver(), hasCrashedEver(), hasCrashedSince()]).toEqual([true, false, false]);
  await rm(folder, { recursive: true });
});
