// The documents by which agents and crawlers find the service: their types, headers and links.
import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import worker from "../../functions/index.ts";
import { WELL_KNOWN_FILES } from "../../lib/shared/well-known.ts";

const ORIGIN = "https://api.example.com";
const CATALOG = WELL_KNOWN_FILES.apiCatalog.path;

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const bindings = { ENVIRONMENT: "production", ASSETS: env.ASSETS, PUBLIC_URL: ORIGIN };
  return worker.fetch(new Request(`http://api.test${path}`, init), bindings, createExecutionContext());
}

test.each(Object.values(WELL_KNOWN_FILES))("200 for $path, open to web pages, and 304 for its ETag", async (file) => {
  for (const path of [file.path, ...file.aliases]) {
    const answer = await send(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, file.type]);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const text = await answer.text();
    expect(typeof JSON.parse(text)).toBe("object");
    expect(text).not.toMatch(/\{(origin|server|host)\}/);
    const again = await send(path, { headers: { "If-None-Match": answer.headers.get("etag") ?? "" } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  }
});

test("the API catalog is a linkset with the profile of RFC 9727, and leads to documents that exist", async () => {
  const answer = await send(CATALOG);
  expect(answer.headers.get("content-type")).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  const { linkset } = await answer.json<{ linkset: Record<string, string | { href: string; type: string }[]>[] }>();
  expect(linkset.map(({ anchor }) => anchor)).toEqual([`${ORIGIN}/api/partner/v1`, `${ORIGIN}/mcp`]);
  const links = linkset.flatMap((context) =>
    Object.values(context).flatMap((of) => (typeof of === "string" ? [] : of)),
  );
  // The status needs a database, and has a test of its own.
  const documents = links.filter(({ href }) => !href.endsWith("/status"));
  expect(documents.length).toBe(links.length - 1);
  for (const { href, type } of documents) {
    const document = await send(href.slice(ORIGIN.length));
    await document.arrayBuffer();
    expect([href, document.status]).toEqual([href, 200]);
    expect(document.headers.get("content-type")?.startsWith(type)).toBe(true);
  }
});

test("Link leads to the catalog: at the catalog for HEAD too, at the root and at the reference", async () => {
  for (const [path, init] of [
    [CATALOG, { method: "HEAD" }],
    ["/", {}],
    ["/docs", {}],
  ] as const) {
    const answer = await send(path, init);
    await answer.arrayBuffer();
    expect([path, answer.headers.get("link")]).toEqual([path, `<${CATALOG}>; rel="api-catalog"`]);
  }
});

test("every skill of the index has the bytes of its digest; others are 404", async () => {
  const { skills } = await (await send(WELL_KNOWN_FILES.skills.path)).json<{
    skills: { url: string; digest: string }[];
  }>();
  expect(skills.length).toBeGreaterThan(2);
  for (const { url, digest } of skills) {
    const file = await send(url);
    expect(file.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const hash = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
    expect(`sha256:${Buffer.from(hash).toString("hex")}`).toBe(digest);
  }
  for (const path of ["/.well-known/agent-skills/none/SKILL.md", "/.well-known/agent-skills/", "/.well-known/none"]) {
    expect((await send(path)).status).toBe(404);
  }
});

test("llms.txt names every tool with what it does, every skill and every document", async () => {
  const list = await (await send("/llms.txt")).text();
  expect(list.match(/^- [a-z]+_[a-z_]+: [A-Z][^.]+\. .+\.$/gm)?.length).toBe(20);
  const paths = [...list.matchAll(/\]\((\/[^)]+)\)/g)].map(([, path = ""]) => path);
  expect(paths).toEqual(expect.arrayContaining(Object.values(WELL_KNOWN_FILES).map(({ path }) => path)));
  for (const path of paths) expect([path, (await send(path)).status]).toEqual([path, 200]);
});
