import { Hono } from "hono";
import { BASE_PATH } from "../../lib/paths.ts";

/** The OpenAPI document, public, at the root and beside the endpoints; a static asset, so that it costs the Worker no room. */
const openapi = new Hono<{ Bindings: { ASSETS: Fetcher } }>();
openapi.on("GET", ["/openapi.json", `${BASE_PATH}/openapi.json`], async (c) => {
  const asset = await c.env.ASSETS.fetch(new URL("/reference.json", c.req.url));
  const document = await asset.json<Record<string, unknown>>();
  return c.json({ ...document, servers: [{ url: new URL(BASE_PATH, c.req.url).href }] });
});

export default openapi;
