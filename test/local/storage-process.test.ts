// The process of the local object storage: what is kept, and when it ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { createCallCounter } from "./call-counter.ts";
import { startStorage } from "./storage.ts";
import { connectStorage } from "./storage-client.ts";

const calls = createCallCounter();

test("objects survive a restart, and a closed storage leaves no process behind", async () => {
  const persistTo = mkdtempSync(join(tmpdir(), "bucket-"));
  const keys = { accessKeyId: "id", secretAccessKey: "secret" };
  const first = await startStorage({ persistTo, calls, ...keys });
  const before = connectStorage(first);
  await before.send(new PutObjectCommand({ Bucket: "files", Key: "kept", Body: "x" }));
  await first.close();
  expect(() => process.kill(first.pid, 0)).toThrow("ESRCH");
  const second = await startStorage({ persistTo, calls, ...keys });
  expect(await (await fetch(`${second.publicUrl("files")}/kept`)).text()).toBe("x");
  await second.close();
  rmSync(persistTo, { recursive: true });
});

test("the storage process ends when its parent is killed", async () => {
  const persistTo = mkdtempSync(join(tmpdir(), "bucket-"));
  const script = `
    import { startStorage } from ${JSON.stringify(join(import.meta.dirname, "storage.ts"))};
    import { createCallCounter } from ${JSON.stringify(join(import.meta.dirname, "call-counter.ts"))};
    const { pid } = await startStorage({ persistTo: ${JSON.stringify(persistTo)}, calls: createCallCounter() });
    console.log(pid);`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const pid = Number(String(await once(parent.stdout, "data")));
  expect(process.kill(pid, 0)).toBe(true);
  parent.kill("SIGKILL");
  const isRunning = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isRunning).toBe(false);
  rmSync(persistTo, { recursive: true });
});
