// The deployment of a branch: test mode only, without queue consumers and cron.
import { expect, test } from "vitest";
import preview from "../../functions/preview/worker.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { connectAgent, sendMcp } from "../mcp/agent.ts";
import { createBindings, createTestTenant } from "../support/harness.ts";
import { endpoints, headersFor } from "../support/requests.ts";
import { createTestMode } from "../support/test-mode.ts";

const env = { ENVIRONMENT: "preview", PUBLIC_URL: "https://pr-1.example.workers.dev" };

test("100 posts, five of them scheduled, are published by requests and an advance alone", async () => {
  const mode = await createTestMode(await createTestTenant());
  const texts = virtualAccounts(mode.scopeId).filter(({ platform }) =>
    ["threads", "bluesky", "twitter"].includes(platform),
  );
  const create = async (index: number, scheduled?: string) => {
    const account = texts[index % texts.length];
    const body = {
      caption: `Post ${index}`,
      accounts: [{ id: account?.id }],
      ...(scheduled ? { scheduled_at: scheduled } : {}),
    };
    const response = await mode.api.call("POST", "/posts", { env, body });
    expect([response.status, response.body.message]).toEqual([201, expect.any(String)]);
  };
  for (let index = 0; index < 95; index++) await create(index);
  const read = async (status: string) =>
    (await mode.api.call("GET", `/posts?status=${status}&limit=100`, { env })).body.data.posts.length;
  expect(await read("posted")).toBe(95);
  for (let index = 95; index < 100; index++)
    await create(index, new Date(Date.now() + (index - 94) * DAY_MS).toISOString());
  expect(await read("scheduled")).toBe(5);
  const to = new Date(Date.now() + 7 * DAY_MS).toISOString();
  for (let more = true; more; ) {
    const { status, body } = await mode.api.call("POST", "/sandbox/advance", { env, body: { to } });
    expect(status).toBe(200);
    ({ more } = body.data);
  }
  expect(await read("posted")).toBe(100);
  expect(mode.api.enqueuedDeliveries).toEqual([]);
}, 180_000);

const operations = endpoints.filter(({ spec }) => spec.auth !== "public");

test("403 test_key_required for a live key with every operation, also one that the isolate knows", async () => {
  const { api } = await createTestTenant();
  for (const { id, spec, method, filled, body } of operations) {
    const response = await api.call(method, filled, { env, body, headers: headersFor(spec) });
    expect([id, response.status, response.body.error_code]).toEqual([id, 403, "test_key_required"]);
  }
  expect((await api.get("/posts")).status).toBe(200);
});

/** A request to the Worker of a branch. */
const { SIMULATOR: _, ...bindings } = createBindings([]);
async function callPreview(path: string | URL, init: RequestInit = {}): Promise<Response> {
  const pending: Promise<unknown>[] = [];
  const ctx = { waitUntil: (work: Promise<unknown>) => pending.push(work), passThroughOnException() {} };
  const request = new Request(new URL(path, env.PUBLIC_URL), { redirect: "manual", ...init });
  const response = await preview.fetch(request, { ...bindings, ...env }, ctx as unknown as ExecutionContext);
  await Promise.all(pending);
  return response;
}

test("the Worker of a branch has the API, the pages for people and the simulated networks in one", async () => {
  const mode = await createTestMode(await createTestTenant());
  const account = virtualAccounts(mode.scopeId).find(({ platform }) => platform === "bluesky");
  const headers = { Authorization: `Bearer ${mode.token}` };
  const body = JSON.stringify({ caption: "Tea", accounts: [{ id: account?.id }] });
  const created = await callPreview("/api/partner/v1/posts", { method: "POST", headers, body });
  const { data } = await created.json<{ data: { id: string } }>();
  const read = await callPreview(`/api/partner/v1/posts/${data.id}`, { headers });
  expect((await read.json<{ data: { status: string } }>()).data.status).toBe("posted");
  const page = await callPreview("/dashboard");
  expect([page.status, page.headers.get("location")]).toEqual([302, expect.stringContaining("/dashboard/sign-in")]);
});

test("its tools for agents publish in test mode, without a queue", async () => {
  const mode = await createTestMode(await createTestTenant());
  const account = virtualAccounts(mode.scopeId).find(({ platform }) => platform === "bluesky");
  const agent = await connectAgent(mode.token, "2026-07-28", callPreview);
  const call = async (name: string, given: object) =>
    (await agent.callTool({ name, arguments: { ...given } })) as { isError?: boolean; structuredContent?: unknown };
  const draft = await call("prepare_post", { caption: "Tea", accounts: [{ id: account?.id }] });
  const { id, plan_hash } = draft.structuredContent as { id: string; plan_hash: string };
  expect((await call("commit_post", { post_id: id, plan_hash })).isError).toBeFalsy();
  expect((await call("get_post", { post_id: id })).structuredContent).toMatchObject({ id, status: "posted" });
});

test("403 test_key_required of its tools for agents for a live key, also one that the isolate knows", async () => {
  const { api, token } = await createTestTenant();
  const send = async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await sendMcp("tools/list", {}, headers, callPreview);
    return [response.status, (await response.json<{ error_code: string }>()).error_code];
  };
  expect(await send()).toEqual([403, "test_key_required"]);
  expect((await api.get("/posts")).status).toBe(200);
  expect(await send()).toEqual([403, "test_key_required"]);
});
