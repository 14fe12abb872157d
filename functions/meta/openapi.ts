import { Hono } from "hono";
import { requestIdFrom } from "../../lib/envelope.ts";
import { BASE_PATH } from "../../lib/paths.ts";

/** The OpenAPI document, public, at the root and beside the endpoints; a static asset, so that it costs the Worker no room. */
const openapi = new Hono<{ Bindings: { ASSETS: Fetcher } }>();
openapi.on("GET", ["/openapi.json", `${BASE_PATH}/openapi.json`], async (c) => {
  const asset = await c.env.ASSETS.fetch(new URL("/reference.json", c.req.url));
  const document = await asset.json<Record<string, unknown>>();
  const servers = [{ url: new URL(BASE_PATH, c.req.url).href }];
  return c.json({ ...document, servers }, 200, { "X-Request-Id": requestIdFrom(c.req.header("x-request-id")) });
});

export default openapi;
