// The reference page: every operation begins with a request and its response, and requests mean the same in every language.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAllGuides, readDocumentation } from "../../functions/build/documentation.ts";
import {
  listOperations,
  type OpenApiDocument,
  type Parameter,
  type Response,
  resolve,
  toAnchor,
} from "../../functions/build/page/document.ts";
import { renderPage } from "../../functions/build/page/layout.ts";
import { renderMarkdown } from "../../functions/build/page/markdown.ts";
import { writeSamples } from "../../functions/build/page/request.ts";
import { at } from "../../lib/shared/at.ts";

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../functions/openapi.json"), "utf8"),
) as OpenApiDocument;

const { examples } = await readDocumentation();
const guides = await readAllGuides();
const page = renderPage(document, guides, examples, { style: "/style.css", script: "/script.js" });

test("an operation shows its first request and response before its fields, and folds further examples", () => {
  const sections = [...page.matchAll(/<section class="operation"[\s\S]*?<\/section>/g)].map(([section]) => section);
  expect(sections).toHaveLength(listOperations(document).length);
  for (const section of sections) {
    const [before = ""] = section.split(/<details|<h4>/);
    expect(before.match(/<figure>/g)).toHaveLength(2);
    expect(before).toMatch(/data-language="Shell"[\s\S]*<span>20\d /);
  }
});

test("no two places of the page have the same address", () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test("every link within the page leads to a place of the page", () => {
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
  expect(links.filter((id) => !ids.has(id))).toEqual([]);
  expect(links).toEqual(expect.arrayContaining(["errors", "versioning"]));
});

test("every link of a guide's Markdown to a guide leads to its file, and to the same guide on the page", () => {
  const files = guides.map(({ id }) => `/docs/${id}.md`);
  // A heading has different anchors on the page and in a reader of Markdown, so no guide links to one.
  const targets = guides.flatMap(({ text }) => [...text.matchAll(/\]\(((?:#|\/docs)[^)]*)\)/g)].map(([, to]) => to));
  expect(targets.filter((target = "") => !files.includes(target))).toEqual([]);
  expect(renderMarkdown("[Error codes](/docs/errors.md)", "support")).toContain('<a href="#errors">');
});

test("a parameter with a default states it, also where its description has the range", () => {
  for (const operation of listOperations(document)) {
    const section = at(at(page.split(`id="${toAnchor(operation.operationId)}"`), 1).split("</section>"), 0);
    for (const reference of operation.parameters) {
      const { name, schema } = resolve<Parameter>(document, reference);
      if (name !== "limit" || schema.default === undefined) continue;
      const [, row = ""] = section.split('<code class="name">limit</code>');
      expect(row.split("</li>")[0], operation.operationId).toContain(`Default: <code>${schema.default}</code>.`);
    }
  }
});

test("an error code of the list of error codes has an address", () => {
  const item = "- `invalid_json`: The body is not JSON.";
  expect(renderMarkdown(item, "errors")).toContain('<li id="errors-invalid_json"><a href="#errors-invalid_json">');
  expect(renderMarkdown(item, "lists")).not.toContain("id=");
});

/** The first sample of an operation in each language, without the markup. */
function readSamples(operationId: string): string[] {
  const section = at(page.split(`<section class="operation" id="${toAnchor(operationId)}">`), 1);
  const [figure = ""] = section.split("</figure>");
  return [...figure.matchAll(/<code data-language[^>]*>([\s\S]*?)<\/code>/g)].map(([, code = ""]) =>
    code.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
  );
}

const reads = listOperations(document).filter(({ method }) => method === "GET");

test.each(reads)("the samples of $operationId send the query whose response is shown", (operation) => {
  const { content } = resolve<Response>(document, operation.responses["200"] as Response);
  const response = Object.values(content["application/json"].examples ?? {})[0]?.summary;
  const recorded = examples[operation.operationId]?.find(({ title }) => title === response);
  expect(recorded).toBeDefined();
  const required = operation.parameters
    .map((parameter) => resolve<Parameter>(document, parameter))
    .filter((parameter) => parameter.in === "query" && parameter.required);
  const samples = readSamples(operation.operationId);
  expect(samples).toHaveLength(3);
  for (const sample of samples) {
    const [, address = ""] = /(?:\$API|API \+ "|\["API"\] \+ ")([^"]+)"/.exec(sample) ?? [];
    const query = Object.fromEntries(new URLSearchParams(address.split("?")[1]));
    expect(query).toEqual(recorded?.query);
    for (const { name } of required) expect(query).toHaveProperty(name);
  }
});

test("a query is encoded, so that a shell and a string of code leave it as it is", () => {
  const query = { q: 'a "calm" $HOME `id` \\ & ü', since: "2026-11-24T18:00:00+02:00" };
  for (const { code } of writeSamples({ method: "GET", path: "/posts", query, idempotent: false, body: undefined })) {
    const [, search = ""] = /\/posts\?([^"]*)"/.exec(code) ?? [];
    expect(search).toMatch(/^[\w=&%+.*-]+$/);
    expect(Object.fromEntries(new URLSearchParams(search))).toEqual(query);
  }
});

const request = {
  method: "POST",
  path: "/posts/{postId}",
  idempotent: true,
  body: { caption: 'It\'s "tea"', at: null, tags: ["a", true, false, 1.5], media: {}, list: [] },
};

test("a request in TypeScript sends what the request in a shell sends", async () => {
  const [shell = { code: "" }, typeScript = { code: "" }] = writeSamples(request);
  const sent: { url: string; init: RequestInit }[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return Response.json({ ok: true, data: 1 });
  };
  const run = new Function("fetch", "process", "console", `return (async () => {${typeScript.code}})()`);
  await run(fetch, { env: { API: "https://api", KEY: "key" } }, { log: () => undefined });
  const [{ url, init } = { url: "", init: {} }] = sent;
  expect([url, init.method]).toEqual(["https://api/posts/<postId>", "POST"]);
  expect(new Headers(init.headers).get("Authorization")).toBe("Bearer key");
  expect(new Headers(init.headers).get("Idempotency-Key")).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.parse(String(init.body))).toEqual(request.body);
  const inShell = shell.code.match(/-d '([\s\S]*)'$/)?.[1]?.replaceAll("'\\''", "'") ?? "";
  expect(JSON.parse(inShell)).toEqual(request.body);
});

test("a request in Python has Python's names for null, true and false", () => {
  const python = writeSamples(request).find(({ language }) => language === "Python")?.code;
  expect(python).toContain('os.environ["API"] + "/posts/<postId>"');
  expect(python).toContain(`    json={
      "caption": "It's \\"tea\\"",
      "at": None,
      "tags": [
        "a",
        True,
        False,
        1.5
      ],
      "media": {},
      "list": []
    },`);
});

test("a request that reads has neither a body nor a key for idempotency", () => {
  const samples = writeSamples({ method: "GET", path: "/accounts", idempotent: false, body: undefined });
  for (const { code } of samples) expect(code).not.toMatch(/Idempotency|Content-Type|-d |json=|body:|method/);
});
