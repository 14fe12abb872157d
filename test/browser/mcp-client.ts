// The official client of the Model Context Protocol, connected to the running Workers.
import assert from "node:assert/strict";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { MCP_PATH } from "../../lib/shared/paths.ts";
import type { World } from "./journey.ts";

export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;

export async function connectAgent(
  { origin }: World,
  token: string,
  revision: (typeof REVISIONS)[number] = REVISIONS[0],
): Promise<Client> {
  const mode = revision === "2026-07-28" ? { pin: revision } : ("legacy" as const);
  const client = new Client({ name: "browser-test", version: "1.0.0" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP_PATH, origin), { requestInit }));
  assert.equal(client.getNegotiatedProtocolVersion(), revision);
  return client;
}

export async function callTool(client: Client, name: string, given: object): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: { ...given } })) as CallToolResult;
}

/** Returns the structured result; throws for an error. */
export async function requireResult(
  client: Client,
  name: string,
  given: object = {},
): Promise<Record<string, unknown>> {
  const { isError, content, structuredContent } = await callTool(client, name, given);
  assert.ok(!isError, `${name}: ${JSON.stringify(content)}`);
  return structuredContent as Record<string, unknown>;
}
