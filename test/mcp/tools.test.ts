// The tools over the official client: what a key is shown, what it may call, and how errors read.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { listTools } from "../../functions/mcp/server.ts";
import { TOOLS } from "../../functions/mcp/tools.ts";
import { revokeKey } from "../../lib/queries/tenants.ts";
import { at } from "../../lib/shared/at.ts";
import { DRAFT_PERMISSIONS, READ_PERMISSIONS } from "../../lib/shared/permissions.ts";
import {
  createTestAccount,
  createTestKey,
  createTestTenant,
  openTestDatabase,
  type Tenant,
  type TestAccount,
} from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { connectAgent, createMcpFetch, sendMcp } from "./agent.ts";

const DEMO_VIDEO = join(import.meta.dirname, "../local/demo.mp4");

let tenant: Tenant;
let account: TestAccount;
let other: TestAccount;

beforeAll(async () => {
  tenant = await createTestTenant();
  account = await createTestAccount(tenant, "instagram");
  other = await createTestAccount(tenant, "bluesky");
});

type Agent = Awaited<ReturnType<typeof connectAgent>>;

async function call(agent: Agent, name: string, given: Record<string, unknown> = {}) {
  const result = (await agent.callTool({ name, arguments: given })) as CallToolResult;
  const [content] = result.content;
  if (content?.type !== "text") throw new Error("no text");
  // biome-ignore lint/suspicious/noExplicitAny: tests read any result and assert on it.
  return { isError: result.isError ?? false, data: result.structuredContent as any, text: JSON.parse(content.text) };
}

const listNames = async (agent: Agent) => (await agent.listTools()).tools.map(({ name }) => name);

test("every tool is described: title, all hints, both schemas", async () => {
  const tools = await listTools(null);
  for (const { title, description = "", inputSchema, outputSchema, annotations = {} } of tools) {
    expect(title).toMatch(/^[A-Z]/);
    expect(description.length).toBeGreaterThan(60);
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(outputSchema).toMatchObject({ type: "object", properties: expect.anything() });
    expect(Object.keys(annotations).toSorted()).toEqual([
      ...["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"],
    ]);
    expect(annotations.readOnlyHint && annotations.destructiveHint).toBe(false);
  }
});

test("a tool has the permission of its endpoint, and what it leaves out or describes is a field of it", async () => {
  for (const [name, tool] of Object.entries(TOOLS)) {
    const { spec } = (await tool.load()).default;
    expect([name, tool.permission]).toEqual([name, spec.permission]);
    const reads = tool.hints.includes("readOnly");
    expect([name, reads]).toEqual([name, spec.route.startsWith("GET ")]);
    const [listed] = (await listTools([tool.permission])).filter((one) => one.name === name);
    const fields = Object.keys(listed?.inputSchema.properties ?? {});
    const named = [...Object.keys(tool.described ?? {}), ...Object.keys(tool.replaced ?? {})];
    expect(fields).toEqual(expect.arrayContaining(named.filter((path) => !path.includes("."))));
  }
});

test.each(["2026-07-28", "2025-11-25"] as const)(
  "results of revision %s are the data of the HTTP API",
  async (revision) => {
    const agent = await connectAgent(tenant.token, revision);
    expect(agent.getNegotiatedProtocolVersion()).toBe(revision);
    const [context, accounts, rules] = [
      await call(agent, "get_context"),
      await call(agent, "list_accounts", { status: "all" }),
      await call(agent, "get_account_rules", { account_id: account.id }),
    ];
    expect(context.data).toMatchObject({ workspace: { time_zone: "UTC" }, can_publish: true, account_ids: null });
    const { data } = (await tenant.api.get("/accounts?status=all")).body;
    expect(accounts.data).toEqual(data);
    expect(accounts.text).toEqual(data);
    expect(rules.data).toEqual(data.accounts.find(({ id }: { id: string }) => id === account.id));
    const posts = await call(agent, "list_posts", { limit: 5 });
    expect(posts.data).toEqual((await tenant.api.get("/posts?limit=5")).body.data);
  },
);

test("a key without a permission is not shown its tools, and calling one is -32602", async () => {
  const full = await listNames(await connectAgent(tenant.token));
  expect(full).toEqual(Object.keys(TOOLS));
  const reader = await connectAgent(await createTestKey(tenant, { permissions: [...READ_PERMISSIONS] }));
  const names = await listNames(reader);
  expect(names).toEqual(Object.keys(TOOLS).filter((name) => TOOLS[name]?.permission.endsWith(":read")));
  for (const name of ["prepare_post", "commit_post", "no_such_tool", "constructor"]) {
    await expect(reader.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  }
});

test("a key limited to drafts and one account prepares a video post from a local file, and cannot publish it", async () => {
  const token = await createTestKey(tenant, { permissions: [...DRAFT_PERMISSIONS], accountIds: [account.id] });
  const agent = await connectAgent(token);
  const names = await listNames(agent);
  expect(names).not.toContain("commit_post");
  expect(names).toContain("prepare_post");
  const context = await call(agent, "get_context");
  expect(context.data).toMatchObject({ can_publish: false, account_ids: [account.id] });
  const { data } = await call(agent, "list_accounts");
  expect(data.accounts.map(({ id }: { id: string }) => id)).toEqual([account.id]);

  const draft = { caption: "By an agent", accounts: [{ id: account.id }] };
  const path = await call(agent, "prepare_post", { ...draft, media: { type: "video", url: "/Users/a/clip.mp4" } });
  expect(path).toMatchObject({ isError: true, text: { ok: false, error_code: "validation_failed" } });
  expect(path.text.fields).toMatchObject([{ path: "media.url", message: expect.stringContaining("create_upload") }]);
  const foreign = { type: "slideshow", urls: ["https://example.com/a.png"] };
  const refused = await call(agent, "prepare_post", { ...draft, thread: [{ caption: "b", media: foreign }] });
  expect(refused.text.fields).toMatchObject([
    { path: "thread.0.media.urls.0", message: expect.stringContaining("import_file") },
  ]);

  const bytes = await readFile(DEMO_VIDEO);
  const ticket = await call(agent, "create_upload", { contentType: "video/mp4", size: bytes.length });
  const { uploadUrl, method, headers, id } = ticket.data;
  expect((await fetch(uploadUrl, { method, headers, body: bytes })).status).toBe(200);
  const done = await call(agent, "complete_upload", { file_id: id });
  const repeated = await call(agent, "complete_upload", { file_id: id });
  expect(repeated.data).toEqual(done.data);

  const media = { type: "video", url: done.data.file.url };
  const prepared = await call(agent, "prepare_post", { ...draft, media });
  expect(prepared.data).toMatchObject({ status: "draft", checks: [{ account_id: account.id, ok: true }] });
  await expect(agent.callTool({ name: "commit_post", arguments: { post_id: prepared.data.id } })).rejects.toMatchObject(
    { code: -32_602 },
  );
  const stranger = await call(agent, "prepare_post", { caption: "a", accounts: [{ id: other.id }] });
  expect(stranger.text.error_code).toBe("unknown_accounts");
  const approval = await call(agent, "request_approval", { post_id: prepared.data.id, recipient: "Ann" });
  expect(approval.data).toMatchObject({
    url: expect.stringContaining("/approve/"),
    fingerprint: prepared.data.plan_hash,
  });
  const updated = await call(agent, "update_post", { post_id: prepared.data.id, caption: "Better" });
  expect(updated.data).toMatchObject({ id: prepared.data.id, caption: "Better", status: "draft" });
});

test("errors are those of the HTTP API, in its words", async () => {
  const agent = await connectAgent(tenant.token);
  const unknown = newId();
  const http = await tenant.api.get(`/posts/${unknown}`);
  expect(await call(agent, "get_post", { post_id: unknown })).toMatchObject({ isError: true, text: http.body });
  const body = { caption: 1, accounts: [], colour: "red" };
  const invalid = await tenant.api.post("/posts/prepare", body);
  expect((await call(agent, "prepare_post", body)).text).toEqual(invalid.body);
  expect((await call(agent, "get_post")).text).toMatchObject({ error_code: "missing_post_id", code: 400 });
  expect((await call(agent, "get_post", { post_id: ".." })).isError).toBe(true);
  const draft = await call(agent, "prepare_post", { caption: "a", accounts: [{ id: other.id }] });
  const stale = { post_id: draft.data.id, plan_hash: "old" };
  expect((await call(agent, "commit_post", stale)).text).toMatchObject({ error_code: "plan_changed", code: 409 });
});

test("a post is prepared, published and read; the same idempotency key does nothing twice", async () => {
  const agent = await connectAgent(tenant.token);
  const draft = { caption: newId(), accounts: [{ id: other.id }], idempotency_key: newId() };
  const [first, again] = [await call(agent, "prepare_post", draft), await call(agent, "prepare_post", draft)];
  expect(again.data).toEqual(first.data);
  const committed = await call(agent, "commit_post", { post_id: first.data.id, plan_hash: first.data.plan_hash });
  expect(committed.data).toMatchObject({ id: first.data.id, status: "pending" });
  const read = await call(agent, "get_post", { post_id: first.data.id });
  expect(read.data.accounts.states).toMatchObject([{ account_id: other.id }]);
});

test("a call takes the round trips of HTTP: a read 1, a write 2, with an idempotency key 3", async () => {
  const fetch = createMcpFetch();
  const measure = async (name: string, given: object) => {
    const requestId = newId();
    const headers = { Authorization: `Bearer ${tenant.token}`, "X-Request-Id": requestId };
    const params = { name, arguments: given };
    const { result, cost } = await measureCost(requestId, () => sendMcp("tools/call", params, headers, fetch));
    const [, message = ""] = /^data: (.+)$/m.exec(await result.text()) ?? [];
    return [(JSON.parse(message) as { result: CallToolResult }).result.isError ?? false, cost.round_trips];
  };
  const draft = { caption: "a", accounts: [{ id: other.id }] };
  // Their modules are loaded, which takes longer than the calls overlap.
  await measure("list_accounts", {});
  await measure("prepare_post", draft);
  expect(await measure("list_accounts", {})).toEqual([false, 1]);
  expect(await measure("prepare_post", draft)).toEqual([false, 2]);
  expect(await measure("prepare_post", { ...draft, idempotency_key: newId() })).toEqual([false, 3]);
});

test("401 with WWW-Authenticate without a token, with a wrong one, and as soon as a key is revoked", async () => {
  const { token } = await createTestTenant();
  const send = (authorization: string | null, method = "tools/list", params = {}) =>
    sendMcp(method, params, authorization === null ? {} : { Authorization: authorization });
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } };
  for (const [authorization, method, params, code] of [
    [null, "initialize", initialize, "missing_token"],
    ["Bearer x", "initialize", initialize, "invalid_token"],
    [`Bearer ${token.slice(0, -3)}aaa`, "tools/list", {}, "invalid_token"],
  ] as const) {
    const response = await send(authorization, method, params);
    const error = authorization === null ? "" : ', error="invalid_token"';
    const challenge = `Bearer resource_metadata="http://agents.test/.well-known/oauth-protected-resource/mcp"${error}`;
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, challenge]);
    expect(await response.json()).toMatchObject({ ok: false, error_code: code });
  }
  expect((await send(`Bearer ${token}`)).status).toBe(200);
  await revokeKey(openTestDatabase(), at(token.split("."), 0));
  for (const [method, params] of [
    ["tools/call", { name: "get_context", arguments: {} }],
    ["tools/list", {}],
  ] as const) {
    const response = await send(`Bearer ${token}`, method, params);
    const challenge =
      'Bearer resource_metadata="http://agents.test/.well-known/oauth-protected-resource/mcp", error="invalid_token"';
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, challenge]);
    expect(await response.json()).toMatchObject({ error_code: "revoked_token" });
  }
  const { token: unpaid } = await createTestTenant({ plan: null });
  expect((await send(`Bearer ${unpaid}`)).status).toBe(402);
});

test("a foreign Origin is 403, also with a token; the own one and none are accepted", async () => {
  const send = (headers: Record<string, string>) =>
    sendMcp("tools/list", {}, { Authorization: `Bearer ${tenant.token}`, ...headers });
  for (const origin of ["https://evil.example", "null", "http://agents.test:81"]) {
    expect((await send({ Origin: origin })).status).toBe(403);
  }
  expect((await send({ Origin: "http://agents.test" })).status).toBe(200);
  const own = await sendMcp(
    "tools/list",
    {},
    { Authorization: `Bearer ${tenant.token}`, "X-Request-Id": "from-caller" },
  );
  expect(own.headers.get("x-request-id")).toBe("from-caller");
  const fetch = createMcpFetch();
  const get = await fetch("http://agents.test/mcp", { headers: { Authorization: `Bearer ${tenant.token}` } });
  expect(get.status).toBe(405);
});
