// When the database fails in a way that nobody foresaw, each operation says so with its own code, and nothing else.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mintTenant, vars } from "../harness.ts";
import { slide } from "./made.ts";

const FAULT = { message: "a secret of the database", severity: "ERROR", code: "XX000" };

/** The database, but for statements on slideshows. */
const database = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString();
  if (/slideshows/.test(body)) return response.writeHead(400).end(JSON.stringify(FAULT));
  const headers = Object.entries(request.headers).filter(([name]) => /^(neon|x-)/.test(name)) as [string, string][];
  const answer = await fetch(vars.DATABASE_FETCH_URL ?? "", { method: "POST", headers, body });
  response.writeHead(answer.status).end(await answer.text());
});
beforeAll(() => new Promise<void>((resolve) => database.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => database.close(resolve)));

const item = `/slideshows/${newId()}`;

test.each([
  ["POST", "/slideshows", { slides: [slide("a")] }, "slideshow_create_failed"],
  ["POST", "/slideshows/generate", { skip_ai: true }, "slideshow_generate_failed"],
  ["GET", "/slideshows", undefined, "slideshows_list_failed"],
  ["GET", item, undefined, "slideshow_get_failed"],
  ["PATCH", item, { title: "a" }, "update_failed"],
  ["DELETE", item, undefined, "delete_failed"],
  ["POST", `${item}/render`, {}, "slideshow_render_failed"],
  ["POST", `${item}/duplicate`, {}, "slideshow_duplicate_failed"],
  ["POST", `${item}/slides/0/regenerate`, {}, "slide_regenerate_failed"],
])("%s %s: 500 with the code of the operation", async (method, path, body, code) => {
  const { api } = await mintTenant();
  const env = { DATABASE_FETCH_URL: `http://127.0.0.1:${(database.address() as AddressInfo).port}/sql` };
  const answer = await api.call(method, path, { body, env });
  expect([answer.status, answer.body.error_code]).toEqual([500, code]);
  expect(JSON.stringify(answer.body)).not.toContain("secret");
});
