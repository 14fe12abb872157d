import { Hono } from "hono";
import { BASE_PATH } from "../../lib/paths.ts";
import document from "../openapi.json" with { type: "json" };

/** The OpenAPI document, public, at the root and beside the endpoints. */
const openapi = new Hono();
openapi.on("GET", ["/openapi.json", `${BASE_PATH}/openapi.json`], (c) => {
  const server = new URL(BASE_PATH, c.req.url).href;
  return c.json({ ...document, servers: [{ url: server }] });
});

export default openapi;
