// An agent and a person: the official client of the Model Context Protocol, with a key for drafts of one account, uploads a video and
// prepares a post at /mcp of the running Workers; a person approves it in a browser; it goes out once. With both revisions.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import type { Browser } from "playwright-core";
import * as z from "zod";
import { DRAFT_PERMISSIONS } from "../../lib/shared/permissions.ts";
import { createKey } from "../local/control-actions.ts";
import type { LocalStack } from "../local/stack.ts";
import { openPhone } from "./hands.ts";
import type { World } from "./journey.ts";
import { requireResult as call, callTool, connectAgent, REVISIONS } from "./mcp-client.ts";
import { waitFor } from "./wait-for.ts";

const DEMO_VIDEO = join(import.meta.dirname, "../local/demo.mp4");
const PUBLISH_TIMEOUT_MS = 120_000;

export async function runAgentJourney(browser: Browser, stack: LocalStack, world: World): Promise<void> {
  const seeded = stack.seed.accounts.find(({ platform, key }) => platform === "youtube" && key === "workspace");
  assert.ok(seeded);
  const { workspace } = stack.seed.keys;
  const full = await connectAgent(world, workspace, REVISIONS[0]);
  const allTools = await listNames(full);
  const limits = { permissions: [...DRAFT_PERMISSIONS], account_ids: [seeded.id] };
  const token = await createKey(stack.databaseConfig, workspace, limits, stack.vars.TOKEN_KEY ?? "");
  for (const revision of REVISIONS) {
    const agent = await connectAgent(world, token, revision);
    const caption = `From an agent, by revision ${revision}`;
    const tools = await listNames(agent);
    assert.ok(tools.length < allTools.length && !tools.includes("commit_post") && tools.includes("prepare_post"));
    const { accounts } = await call(agent, "list_accounts");
    assert.deepEqual(
      (accounts as { id: string }[]).map(({ id }) => id),
      [seeded.id],
    );
    world.log(`${revision}: an agent has ${tools.length} of ${allTools.length} tools`);
    const follow = revision === "2026-07-28" ? await startPolling(agent) : null;
    const id = await publishByApproval(browser, world, agent, { accountId: seeded.id, caption });
    if (follow) assert.equal(await follow(id), 1);
    await agent.close();
  }
  await full.close();
}

interface AgentPost {
  /** Of YouTube. */
  accountId: string;
  caption: string;
}

/** An agent that may only draft prepares a video and cannot publish it; a person approves it on a phone, and it goes out once. */
export async function publishByApproval(
  browser: Browser,
  world: World,
  agent: Client,
  { accountId, caption }: AgentPost,
): Promise<string> {
  const post = await prepareVideo(agent, accountId, caption);
  await requireUnpublishable(agent, post);
  world.log("it prepared a video by a ticket, and cannot publish it");
  const { url } = await call(agent, "request_approval", { post_id: post.id, recipient: "Ann" });
  await approve(browser, world, String(url), caption);
  await waitFor(
    async () => (await call(agent, "get_post", { post_id: post.id })).status === "posted",
    PUBLISH_TIMEOUT_MS,
  );
  const published = await listPublished(world, caption);
  assert.deepEqual(published, [{ network: "youtube" }]);
  const refused = await callTool(agent, "update_post", { post_id: post.id, caption: "Another" });
  assert.match(JSON.stringify(refused.content), /posts:publish.*missing_permission/);
  world.log("a person approved it on a phone, and it went out once");
  return post.id;
}

const listNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

async function prepareVideo(agent: Client, accountId: string, caption: string): Promise<{ id: string }> {
  const bytes = await readFile(DEMO_VIDEO);
  const ticket = await call(agent, "create_upload", { contentType: "video/mp4", size: bytes.length });
  const headers = ticket.headers as Record<string, string>;
  const put = await fetch(String(ticket.uploadUrl), { method: String(ticket.method), headers, body: bytes });
  assert.equal(put.status, 200);
  const { file } = await call(agent, "complete_upload", { file_id: ticket.id });
  const { url } = file as { url: string };
  const draft = await call(agent, "prepare_post", {
    caption,
    accounts: [{ id: accountId }],
    media: { type: "video", url },
  });
  assert.equal(draft.status, "draft");
  assert.deepEqual(
    (draft.checks as { ok: boolean }[]).map(({ ok }) => ok),
    [true],
  );
  return { id: String(draft.id) };
}

/** From now on, by MCP Events. The function returns how often the agent is told that a post is out. */
async function startPolling(agent: Client): Promise<(postId: string) => Promise<number>> {
  const poll = async (cursor: unknown) => {
    const params = { name: "post.published", cursor };
    return (await agent.request({ method: "events/poll", params }, z.looseObject({}) as never)) as unknown as {
      cursor: string;
      events: { data: { object: { id: string } } }[];
    };
  };
  const { cursor } = await poll(null);
  return async (postId) => (await poll(cursor)).events.filter(({ data }) => data.object.id === postId).length;
}

/** Neither by the tool that publishes, nor by a tool that the key has. */
async function requireUnpublishable(agent: Client, post: { id: string }): Promise<void> {
  await assert.rejects(callTool(agent, "commit_post", { post_id: post.id }), { code: -32_602 });
  const scheduled = await callTool(agent, "update_post", { post_id: post.id, scheduled_at: null });
  assert.ok(!scheduled.isError);
  assert.equal((scheduled.structuredContent as { status: string }).status, "draft");
}

async function approve(browser: Browser, { origin }: World, url: string, caption: string): Promise<void> {
  const context = await openPhone(browser, origin);
  const phone = await context.newPage();
  await phone.goto(new URL(url).pathname);
  await phone.getByText(caption).first().waitFor();
  await phone.getByRole("button", { name: "Approve" }).tap();
  await phone.getByRole("heading", { name: "Approved" }).waitFor();
  await context.close();
}

async function listPublished({ networksUrl }: World, caption: string): Promise<{ network: string }[]> {
  const all = (await (await fetch(`${networksUrl}/_published`)).json()) as Record<string, object[]>;
  return Object.entries(all).flatMap(([network, items]) =>
    items.filter((item) => JSON.stringify(item).includes(caption)).map(() => ({ network })),
  );
}
