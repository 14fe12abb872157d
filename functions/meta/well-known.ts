// The documents by which agents and crawlers find the service; lib/shared/well-known.ts has their paths.
import { type Context, Hono } from "hono";
import { readRequestId, SECURITY_HEADERS } from "../../lib/http/envelope.ts";
import { getPublicUrl } from "../../lib/services/env.ts";
import { SKILLS_PATH } from "../../lib/shared/mcp-server.ts";
import { API_CATALOG_LINK, fillPlaceholders, toAssetPath, WELL_KNOWN_FILES } from "../../lib/shared/well-known.ts";

interface Env {
  Bindings: { ASSETS: Fetcher; PUBLIC_URL?: string };
}

/** docs/discovery.md of https://github.com/modelcontextprotocol/experimental-ext-server-card, read 2026-11-29. */
const PUBLIC_HEADERS = {
  ...SECURITY_HEADERS,
  "Cache-Control": "public, max-age=3600",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET",
  "Access-Control-Allow-Headers": "Content-Type, If-None-Match",
  "Access-Control-Expose-Headers": "ETag, Link",
};

const wellKnown = new Hono<Env>();

for (const { path, aliases, asset, type } of Object.values(WELL_KNOWN_FILES)) {
  wellKnown.on("GET", [path, ...aliases], (c) => sendFile(c, asset, type));
}
wellKnown.get(`${SKILLS_PATH}/:name{[a-z0-9-]+}/SKILL.md`, (c) =>
  sendFile(c, toAssetPath(c.req.path), "text/markdown; charset=utf-8"),
);

async function sendFile(c: Context<Env>, asset: string, type: string): Promise<Response> {
  const file = await c.env.ASSETS.fetch(new URL(asset, c.req.url));
  if (!file.ok) return c.notFound();
  const text = fillPlaceholders(await file.text(), getPublicUrl(c.env));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const etag = `"${Buffer.from(digest).toString("hex").slice(0, 32)}"`;
  const headers = {
    ...PUBLIC_HEADERS,
    "Content-Type": type,
    ETag: etag,
    Link: API_CATALOG_LINK,
    "X-Request-Id": readRequestId(c.req.header("x-request-id")),
  };
  const isKnown = c.req.header("if-none-match")?.includes(etag) ?? false;
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
}

export default wellKnown;
