// The shell of the guide "Events and webhooks", as it stands there, against the API over HTTP.
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { readGuides } from "../../functions/build/documentation.ts";
import { readText } from "../local/http-server.ts";
import { createTestAccount, createTestTenant, openTestDatabase, type Tenant } from "../support/harness.ts";
import { RECEIVER } from "../webhooks/receiver.ts";

const guide = (await readGuides()).find(({ id }) => id === "events-and-webhooks")?.text ?? "";
const [loop = "", creation = ""] = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code);

interface State {
  /** The paths that were asked for. */
  paths: string[];
  /** A status to respond with. */
  failing?: number;
}

/** Serves the API of the tenant. */
async function serve({ api }: Tenant, state: State): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    state.paths.push(url);
    const sent = await readText(request);
    const key = headers["idempotency-key"];
    const { status, body } = await api.call(method, url, {
      ...(sent ? { raw: sent } : {}),
      ...(typeof key === "string" ? { headers: { "Idempotency-Key": key } } : {}),
    });
    response.writeHead(state.failing ?? status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("the loop of the guide reads all pages, goes on from its place, and keeps it when a request fails", async (context) => {
  const tools = "command -v curl && command -v jq";
  context.skip(spawnSync("sh", ["-c", tools]).status !== 0, "curl or jq is not installed");
  const tenant = await createTestTenant();
  const account = await createTestAccount(tenant, "bluesky");
  const setStatus = (status: string) =>
    openTestDatabase().execute(sql`update accounts set status = ${status} where id = ${account.id}`);
  for (let round = 0; round < 102; round++) {
    await setStatus("disconnected");
    await setStatus("active");
  }
  const cwd = mkdtempSync(join(tmpdir(), "feed-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const state: State = { paths: [] };
  const env = { PATH: process.env.PATH ?? "", API: await serve(tenant, state), KEY: tenant.token };
  writeFileSync(join(cwd, "loop.sh"), loop);
  const run = () => promisify(execFile)("sh", ["loop.sh"], { cwd, env });
  const readSequences = () =>
    readFileSync(join(cwd, "events.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).sequence);

  await run();
  expect(readSequences()).toEqual(Array.from({ length: 205 }, (_, at) => at + 1));
  expect(state.paths).toHaveLength(2);
  await setStatus("disconnected");
  state.failing = 503;
  await expect(run()).rejects.toThrow();
  delete state.failing;
  await run();
  await run();
  expect(readSequences()).toEqual(Array.from({ length: 206 }, (_, at) => at + 1));
});

test("the request of the guide creates a webhook", async (context) => {
  const tools = "command -v curl && command -v openssl";
  context.skip(spawnSync("sh", ["-c", tools]).status !== 0, "curl or openssl is not installed");
  const tenant = await createTestTenant();
  const env = { PATH: process.env.PATH ?? "", API: await serve(tenant, { paths: [] }), KEY: tenant.token };
  const url = `${RECEIVER}/hooks`;
  const { stdout } = await promisify(execFile)("sh", ["-c", creation.replace("https://example.com/hooks", url)], {
    env,
  });
  const created = JSON.parse(stdout);
  expect(created).toMatchObject({ code: 201, data: { url, types: ["post.published", "post.failed"] } });
  expect(created.data.secret).toMatch(/^whsec_/);
  const { secret: _, ...webhook } = created.data;
  expect((await tenant.api.get("/webhooks")).body.data.webhooks).toEqual([webhook]);
});
