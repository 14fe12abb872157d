// Bare Hono routes on the runtime that the Workers run on: one without a backend, and two per recorded request with the same SQL
// and driver. `/apart` sends a request per statement, as the driver does unless a transaction is asked for, `/together` one for all.
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { findFreePort } from "../local/free-port.ts";
import type { BenchContext } from "./section.ts";

export interface RecordedStatement {
  query: string;
  params: unknown[];
}

export interface BareHono {
  url: string;
  sendRequest(path: string): Promise<void>;
}

/** `requests` are the statements of each path. */
export async function startBareHono(
  { onCleanup, stack }: BenchContext,
  requests: Record<string, RecordedStatement[]>,
): Promise<BareHono> {
  const { DATABASE_URL = "", DATABASE_FETCH_URL = "" } = stack.vars;
  const contents = `import { Hono } from "hono";
import { neon, neonConfig } from "@neondatabase/serverless";
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
`;
  const built = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    ...{ bundle: true, format: "esm", write: false, minify: true, conditions: ["workerd", "worker", "browser"] },
  });
  const port = await findFreePort();
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      cf: false,
      log: new Log(LogLevel.ERROR),
      compatibilityDate: "2026-11-01",
      modules: [{ type: "ESModule", path: "index.js", contents: built.outputFiles[0]?.text ?? "" }],
      unsafeDirectSockets: [{ host: "127.0.0.1", port }],
    } as never),
  );
  onCleanup(() => runtime.dispose());
  await runtime.ready;
  const url = `http://127.0.0.1:${port}`;
  return { url, sendRequest: (path) => sendGet(url + path, {}) };
}

/** A request costs the sender the same for every Worker: the body is read and not parsed. */
export async function sendGet(url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`GET ${url} returned ${response.status}`);
}
