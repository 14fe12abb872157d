// A Worker with one Hono route and nothing behind it, served by the same kind of `wrangler dev` as ours.
import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./port.ts";
import type { Context } from "./section.ts";

const READY_WITHIN_MS = 30_000;
const WRANGLER = join(import.meta.dirname, "../../node_modules/wrangler/bin/wrangler.js");

export async function startBareHono({ folder, atEnd }: Context): Promise<{ ask: () => Promise<void> }> {
  const home = join(folder, "bare-hono");
  await mkdir(home);
  const hono = fileURLToPath(import.meta.resolve("hono"));
  await writeFile(
    join(home, "index.js"),
    `import { Hono } from ${JSON.stringify(hono)};
const app = new Hono();
app.get("/", (c) => c.json({ ok: true }));
export default app;
`,
  );
  await writeFile(
    join(home, "wrangler.json"),
    JSON.stringify({ name: "bare-hono", main: "index.js", compatibility_date: "2026-11-01" }),
  );

  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const log = openSync(join(home, "wrangler.log"), "a");
  const flags = ["--port", String(port), "--ip", "127.0.0.1", "--inspector-port", "0"];
  const child = spawn(process.execPath, [WRANGLER, "dev", ...flags, "--show-interactive-dev-session=false"], {
    cwd: home,
    // A group of its own: wrangler's own children end with it.
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" },
  });
  atEnd(() => endGroup(child));

  const ask = async () => {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`The bare Hono route answered ${answer.status}`);
  };
  const until = Date.now() + READY_WITHIN_MS;
  for (;;) {
    if (
      await ask().then(
        () => true,
        () => false,
      )
    )
      return { ask };
    if (Date.now() > until || child.exitCode !== null) throw new Error("The bare Hono Worker did not start");
    await sleep(150);
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  // wrangler first: it ends its own children and waits for them.
  child.kill("SIGTERM");
  await Promise.race([gone, sleep(4_000, null, { ref: false })]);
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group is gone already.
  }
}
