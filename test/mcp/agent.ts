// The official client, connected to the Worker of the tools in this process.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import worker from "../../functions/mcp/worker.ts";
import { createBindings } from "../support/harness.ts";

export const ORIGIN = "http://agents.test";
const ASSETS_FOLDER = join(import.meta.dirname, "../../.assets");

/** The files as the Worker of static files has them. */
export const ASSETS = {
  async fetch(address: URL) {
    const bytes = await readFile(join(ASSETS_FOLDER, address.pathname)).catch(() => null);
    return new Response(bytes, { status: bytes ? 200 : 404 });
  },
};

type Revision = "2026-07-28" | "2025-11-25";

/** Answers as the API does at /mcp. `bindings` are kept between requests, as an isolate keeps them. */
export function createMcpFetch(
  bindings: Record<string, unknown> = { ...createBindings([]), ASSETS, PUBLIC_URL: ORIGIN },
) {
  return async (address: string | URL, init?: RequestInit): Promise<Response> => {
    const pending: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>) => pending.push(work), passThroughOnException() {} };
    const response = await worker.fetch(new Request(address, init), bindings, context as unknown as ExecutionContext);
    await Promise.all(pending);
    return response;
  };
}

export async function connectAgent(token: string, revision: Revision = "2026-07-28", fetch = createMcpFetch()) {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: revision === "2026-07-28" ? { pin: revision } : "legacy" } },
  );
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), { fetch, requestInit }));
  return client;
}

/** A request without a client. */
export function sendMcp(method: string, params: object, headers: Record<string, string>, fetch = createMcpFetch()) {
  return fetch(`${ORIGIN}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}
