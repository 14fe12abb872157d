import { Hono } from "hono";
import { readRequestId, SECURITY_HEADERS } from "../../lib/http/envelope.ts";
import { BASE_PATH, SUPPORT_CONTACT, SUPPORT_PATH } from "../../lib/shared/paths.ts";

/**
 * The OpenAPI document, public, at the root and under the base path; an asset, to keep the Worker script small. Its server
 * and contact are those of PUBLIC_URL; without it, the paths alone. No other route is open to web pages of other origins.
 */
const openapi = new Hono<{ Bindings: { ASSETS: Fetcher; PUBLIC_URL?: string } }>();
openapi.on("GET", ["/openapi.json", `${BASE_PATH}/openapi.json`], async (c) => {
  const asset = await c.env.ASSETS.fetch(new URL("/reference.json", c.req.url));
  const headers = {
    ...SECURITY_HEADERS,
    "Content-Type": "application/json",
    "Cache-Control": "public, max-age=300",
    "Access-Control-Allow-Origin": "*",
    "X-Request-Id": readRequestId(c.req.header("x-request-id")),
  };
  if (!c.env.PUBLIC_URL) return new Response(asset.body, { status: asset.status, headers });
  const toAbsolute = (path: string) => JSON.stringify(new URL(path, c.env.PUBLIC_URL).href);
  const contact = `"name":${JSON.stringify(SUPPORT_CONTACT)}`;
  const document = (await asset.text())
    .replace(JSON.stringify(BASE_PATH), () => toAbsolute(BASE_PATH))
    .replace(contact, () => `${contact},"url":${toAbsolute(SUPPORT_PATH)}`);
  return new Response(document, { status: asset.status, headers });
});

export default openapi;
