// Bare Hono routes in `wrangler dev`: one without a backend, and two per recorded request with the same SQL and driver. `/apart`
// sends a request per statement, as the driver does unless a transaction is asked for, `/together` one for all.
import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../local/free-port.ts";
import { WRANGLER_ENVIRONMENT } from "../local/wrangler-environment.ts";
import type { BenchContext } from "./section.ts";

const READY_TIMEOUT_MS = 30_000;
const WRANGLER = join(import.meta.dirname, "../../node_modules/wrangler/bin/wrangler.js");

export interface RecordedStatement {
  query: string;
  params: unknown[];
}

export interface BareHono {
  sendRequest(path: string): Promise<void>;
}

/** `requests` are the statements of each path. */
export async function startBareHono(
  { folder, onCleanup, stack }: BenchContext,
  requests: Record<string, RecordedStatement[]>,
): Promise<BareHono> {
  const home = join(folder, "bare-hono");
  await mkdir(home);
  const resolve = (name: string) => JSON.stringify(fileURLToPath(import.meta.resolve(name)));
  const { DATABASE_URL = "", DATABASE_FETCH_URL = "" } = stack.vars;
  await writeFile(
    join(home, "index.js"),
    `import { Hono } from ${resolve("hono")};
import { neon, neonConfig } from ${resolve("@neondatabase/serverless")};
neonConfig.fetchEndpoint = () => ${JSON.stringify(DATABASE_FETCH_URL)};
const requests = ${JSON.stringify(requests)};
const app = new Hono();
app.get("/", (c) => c.json({ ok: true }));
for (const [path, statements] of Object.entries(requests)) {
  const prepare = (sql) => statements.map(({ query, params }) => sql.query(query, params));
  app.get("/apart" + path, async (c) => {
    const sql = neon(${JSON.stringify(DATABASE_URL)});
    return c.json({ ok: true, data: await Promise.all(prepare(sql)) });
  });
  app.get("/together" + path, async (c) => {
    const sql = neon(${JSON.stringify(DATABASE_URL)});
    return c.json({ ok: true, data: await sql.transaction(prepare(sql)) });
  });
}
export default app;
`,
  );
  await writeFile(
    join(home, "wrangler.json"),
    JSON.stringify({ name: "bare-hono", main: "index.js", compatibility_date: "2026-11-01" }),
  );

  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(join(home, "wrangler.log"), "a");
  const flags = ["--port", String(port), "--ip", "127.0.0.1", "--inspector-port", "0"];
  const child = spawn(process.execPath, [WRANGLER, "dev", ...flags, "--show-interactive-dev-session=false"], {
    cwd: home,
    // A separate process group, so that wrangler's children can be killed with it.
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...process.env, ...WRANGLER_ENVIRONMENT, WRANGLER_REGISTRY_PATH: join(home, "registry") },
  });
  onCleanup(() => killGroup(child));

  const sendRequest = (path: string) => sendGet(url + path, {});
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    if (
      await sendRequest("/").then(
        () => true,
        () => false,
      )
    )
      return { sendRequest };
    if (Date.now() > deadline || child.exitCode !== null) throw new Error("The bare Hono Worker did not start");
    await sleep(150);
  }
}

/**
 * A request costs the sender the same for every Worker: the body is read and not parsed. It is not compressed, which
 * `wrangler dev` does in its proxy and again in its entry: in production the network does it, after the Worker
 * (https://developers.cloudflare.com/speed/optimization/content/compression/, read 2026-11-27).
 */
export async function sendGet(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers: { "accept-encoding": "identity", ...headers } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`GET ${url} returned ${response.status}`);
}

async function killGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  // SIGTERM first: wrangler then stops its children and waits for them.
  child.kill("SIGTERM");
  await Promise.race([exited, sleep(4_000, null, { ref: false })]);
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group has already exited.
  }
}
