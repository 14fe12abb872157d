// Tools with a key of test mode: they work, and reach the rows of test mode alone.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { toArgumentName } from "../../functions/mcp/tool-schemas.ts";
import { TOOLS } from "../../functions/mcp/tools.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { insertSlideshows } from "../folders/factories.ts";
import { createTestAccount, createTestTenant, type Tenant, type TestAccount } from "../support/harness.ts";
import { createTestMode, type TestMode } from "../support/test-mode.ts";
import { connectAgent } from "./agent.ts";

const IMAGE = join(import.meta.dirname, "../media/fixtures/baseline.jpg");

type Agent = Awaited<ReturnType<typeof connectAgent>>;
const agents = {} as Record<"live" | "test", Agent>;
let live: Tenant;
let mode: TestMode;
let liveAccount: TestAccount;

beforeAll(async () => {
  live = await createTestTenant();
  liveAccount = await createTestAccount(live, "bluesky");
  mode = await createTestMode(live);
  agents.live = await connectAgent(live.token);
  agents.test = await connectAgent(mode.token);
});

async function call(name: string, given: Record<string, unknown> = {}, agent = agents.test) {
  const result = (await agent.callTool({ name, arguments: given })) as CallToolResult;
  const [content] = result.content;
  if (content?.type !== "text") throw new Error("no text");
  // biome-ignore lint/suspicious/noExplicitAny: tests read any result and assert on it.
  return { isError: result.isError ?? false, data: result.structuredContent as any, text: JSON.parse(content.text) };
}

const listNames = async (agent: Agent) => (await agent.listTools()).tools.map(({ name }) => name);
const getAccount = (platform: string) =>
  virtualAccounts(mode.scopeId).find((account) => account.platform === platform)?.id ?? "";

test("a key of test mode is shown every tool, as one of live mode is", async () => {
  const names = await listNames(agents.test);
  expect(names.toSorted()).toEqual(Object.keys(TOOLS).toSorted());
  expect(names).toEqual(await listNames(agents.live));
});

test("list_accounts has the virtual accounts and none of live mode", async () => {
  const { data } = await call("list_accounts");
  const ids = data.accounts.map(({ id }: { id: string }) => id);
  expect(ids.toSorted()).toEqual(
    virtualAccounts(mode.scopeId)
      .map(({ id }) => id)
      .toSorted(),
  );
  const other = (await call("list_accounts", {}, agents.live)).data.accounts.map(({ id }: { id: string }) => id);
  expect(other).toEqual([liveAccount.id]);
});

test("a file is uploaded, and a post with it is drafted, published by the clock of the mode and shown", async () => {
  const bytes = await readFile(IMAGE);
  const ticket = (await call("create_upload", { contentType: "image/jpeg", size: bytes.length })).data;
  const { uploadUrl, method, headers } = ticket;
  expect((await fetch(uploadUrl, { method, headers, body: bytes })).status).toBe(200);
  const { file } = (await call("complete_upload", { file_id: ticket.id })).data;
  const media = { type: "slideshow", urls: [file.url] };
  const draft = await call("prepare_post", { caption: "Tea", accounts: [{ id: getAccount("instagram") }], media });
  expect(draft.data).toMatchObject({ status: "draft", checks: [{ ok: true }] });
  const { id: post_id, plan_hash } = draft.data;
  expect(await call("commit_post", { post_id, plan_hash })).toMatchObject({ isError: false });
  await mode.api.post("/sandbox/advance", { seconds: 60 });
  const seen = await call("get_post", { post_id });
  expect(seen.data).toMatchObject({ id: post_id, status: "posted", caption: "Tea" });
  const listed = (await call("list_posts")).data.posts.map(({ id }: { id: string }) => id);
  expect(listed).toContain(post_id);
  expect(live.api.enqueuedDeliveries).toEqual([]);
});

/** By the name of an argument: the id of a record that the key of a mode has made. */
async function createRecords(tenant: Tenant, accountId: string): Promise<Record<string, string>> {
  const create = async (path: string, body: unknown): Promise<string> => {
    const response = await tenant.api.post(path, body);
    expect([path, response.status]).toEqual([path, 201]);
    return response.body.data.id;
  };
  const [slideshow = ""] = await insertSlideshows(tenant, [null]);
  return {
    account_id: accountId,
    post_id: await create("/posts/prepare", { caption: "Tea", accounts: [{ id: accountId }] }),
    file_id: await create("/files", { contentType: "image/png", size: 10 }),
    slideshow_id: slideshow,
  };
}

/** Arguments of a tool beside ids. */
const BODIES: Record<string, object> = {
  commit_post: { plan_hash: "0".repeat(64) },
  update_post: { caption: "Better" },
};

test("the id of a record of the other mode reads as one that nothing has, in every tool that takes one", async () => {
  const own = {
    live: await createRecords(live, liveAccount.id),
    test: await createRecords(mode, getAccount("bluesky")),
  };
  const tried: string[] = [];
  for (const [name, tool] of Object.entries(TOOLS)) {
    const { spec } = (await tool.load()).default;
    const [parameter] = Object.keys(spec.params ?? {});
    if (!parameter) continue;
    const argument = toArgumentName(parameter);
    tried.push(name);
    for (const [reader, other] of [
      ["live", "test"],
      ["test", "live"],
    ] as const) {
      const send = (id: string | undefined) => call(name, { ...BODIES[name], [argument]: id }, agents[reader]);
      const unknown = newId();
      const [foreign, nothing] = [await send(own[other][argument]), await send(unknown)];
      expect([name, foreign.isError, foreign.text.code]).toEqual([name, true, 404]);
      expect(JSON.stringify(foreign).replaceAll(own[other][argument] ?? "", unknown)).toBe(JSON.stringify(nothing));
    }
  }
  expect(tried.length).toBeGreaterThanOrEqual(8);
});
