// The conformance suite of the Model Context Protocol against the authorization server, with a person who allows what it asks for.
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort } from "../local/free-port.ts";
import { createTestTenant } from "../support/harness.ts";
import { createBrowser, signInOwner } from "../workspace/dashboard.ts";
import { consent, createProgramFetch } from "./flow.ts";

const SUITE = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const fetchPages = createProgramFetch();
const server = createServer((request, response) => void answer(request, response));
let origin: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = incoming.method === "POST" ? { body: Readable.toWeb(incoming) as BodyInit, duplex: "half" } : {};
  const init = {
    method: incoming.method ?? "GET",
    headers: new Headers(incoming.headers as Record<string, string>),
    ...body,
  };
  const response = await fetchPages(`${origin}${incoming.url}`, init);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return void outgoing.end();
  await pipeline(Readable.fromWeb(response.body as never), outgoing);
}

async function register(port: number): Promise<string> {
  const body = JSON.stringify({ client_name: "Suite", redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const response = await fetch(`${origin}/oauth/register`, { method: "POST", body });
  return (await response.json<{ client_id: string }>()).client_id;
}

test("every scenario of the suite passes", async () => {
  const owner = await signInOwner(await createTestTenant());
  const browser = createBrowser(origin);
  for (const [name, value] of owner.cookies) browser.cookies.set(name, value);
  const port = await findFreePort();
  const options = ["authorization", "--url", origin, "--client-id", await register(port), "--port", String(port)];
  const suite = spawn(process.execPath, [SUITE, ...options, "--resource", `${origin}/mcp`]);
  let report = "";
  let hasConsented = false;
  suite.stderr.on("data", (chunk) => {
    report += chunk;
  });
  suite.stdout.on("data", (chunk) => {
    report += chunk;
    // It prints the address for a browser, and waits for the answer at its own.
    const [link] = /http:\S+\/oauth\/authorize\?\S+/.exec(report) ?? [];
    if (!link || hasConsented || !report.includes("Waiting")) return;
    hasConsented = true;
    const { pathname, search } = new URL(link);
    void consent(browser, { path: pathname + search, state: "", verifier: "" }).then((address) => fetch(address));
  });
  const code = await new Promise((resolve) => suite.on("close", resolve));
  const results = [...report.matchAll(/^ *([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gm)].map(
    ([, mark, name]) => `${mark} ${name}`,
  );
  expect([report, code]).toEqual([report, 0]);
  expect(results).toEqual(["✓ authorization-server-metadata-endpoint", "✓ authorization-code-grant"]);
});
