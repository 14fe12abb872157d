import { type Context, Hono } from "hono";
import { readRequestId, SECURITY_HEADERS } from "../../lib/http/envelope.ts";
import { API_CATALOG_LINK } from "../../lib/shared/well-known.ts";

/** The page's style and script are files of this host; it loads nothing from third parties. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const YEAR = "public, max-age=31536000, immutable";
const MINUTES = "public, max-age=300";

interface Env {
  Bindings: { ASSETS: Fetcher };
}

/** The reference: one static page, its guides as Markdown, and their list for agents. */
const docs = new Hono<Env>();

docs.get("/", (c) => {
  c.header("Link", API_CATALOG_LINK);
  return c.redirect("/docs", 302);
});
docs.get("/docs/", (c) => c.redirect("/docs", 301));

docs.get("/docs", (c) =>
  sendAsset(c, "/reference-page.txt", {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": PAGE_POLICY,
    "Cache-Control": MINUTES,
    Link: API_CATALOG_LINK,
  }),
);

docs.get("/llms.txt", (c) => sendAsset(c, "/llms.txt", { "Cache-Control": MINUTES }));

/** Style and script have a hash in their names. */
docs.get("/docs/:file{[0-9a-f]{12}-[a-z]+\\.(css|js)}", (c) => sendAsset(c, c.req.path, { "Cache-Control": YEAR }));

docs.get("/docs/:file{[a-z-]+\\.md}", (c) =>
  sendAsset(c, c.req.path, { "Content-Type": "text/markdown; charset=utf-8", "Cache-Control": MINUTES }),
);

docs.get("/docs/examples/:file{[a-z0-9.-]+\\.json}", (c) => sendAsset(c, c.req.path, { "Cache-Control": MINUTES }));

async function sendAsset(c: Context<Env>, path: string, own: Record<string, string>): Promise<Response> {
  const asset = await c.env.ASSETS.fetch(new URL(path, c.req.url));
  if (!asset.ok) return c.notFound();
  const headers = new Headers(asset.headers);
  for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...own })) headers.set(name, value);
  headers.set("X-Request-Id", readRequestId(c.req.header("x-request-id")));
  return new Response(asset.body, { status: 200, headers });
}

export default docs;
