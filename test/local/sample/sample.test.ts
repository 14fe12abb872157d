// The sample content on a local stack of its own, with the Worker in this process.
import { openAsBlob } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import worker from "../../../functions/index.ts";
import { DAY_MS } from "../../../lib/shared/durations.ts";
import { createCaller } from "../../browser/call-api.ts";
import { createBindings } from "../../support/harness.ts";
import { stopClock } from "../../support/stop-clock.ts";
import { type LocalStack, startLocalStack } from "../stack.ts";
import { prepareSample } from "./fill-workspace.ts";
import { SLIDESHOWS } from "./story.ts";
import { COMING_POSTS, DRAFTS, PAST_POSTS } from "./story-posts.ts";

/** A stack and its content, on a machine that does other things. */
const START_MS = 300_000;
const enqueued: unknown[] = [];
const lines: string[] = [];
let folder = "";
let stack: LocalStack;
let origin = "";

// A pooled socket that the server closes first would fail the next request, as in test/local/http-server.ts.
const server = createServer({ keepAliveTimeout: START_MS }, async (request, response) => {
  const method = request.method ?? "GET";
  const body = method === "GET" ? null : Buffer.concat(await Readable.from(request).toArray());
  const headers = new Headers(
    Object.entries(request.headersDistinct).map(([name, values = []]) => [name, values[0] ?? ""]),
  );
  const context = { waitUntil: () => undefined, passThroughOnException() {} } as unknown as ExecutionContext;
  const bindings = { ...createBindings(enqueued as never), ...stack.vars };
  const result = await worker.fetch(
    new Request(`${origin}${request.url}`, { method, headers, body }),
    bindings,
    context,
  );
  response.writeHead(result.status, { "content-type": "application/json" });
  response.end(Buffer.from(await result.arrayBuffer()));
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "partner-api-sample-"));
  const template = await openAsBlob(inject("databaseTemplate"));
  stack = await startLocalStack({ folder, fresh: false, log: () => undefined, template });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await prepareSample(stack, folder, (line) => lines.push(line))?.fill(origin);
}, START_MS);
afterAll(async () => {
  server.close();
  await stack.close();
  await rm(folder, { recursive: true, force: true });
});

const call = <Data>(path: string, key: keyof LocalStack["seed"]["keys"] = "workspace") =>
  createCaller(origin, stack.seed.keys[key])<Data>("GET", path, undefined);

test("the workspace has posts of four weeks and the next two, with what happened to them", async () => {
  expect(lines).toEqual([]);
  const { posts } = await call<{ posts: { status: string; scheduled_at: string; accounts: { states: State[] } }[] }>(
    "/posts?limit=100",
  );
  expect(posts).toHaveLength(PAST_POSTS.length + COMING_POSTS.length + DRAFTS.length);
  expect(new Set(posts.map(({ status }) => status))).toEqual(
    new Set(["posted", "partial", "failed", "scheduled", "draft"]),
  );
  for (const { status, scheduled_at, accounts } of posts) {
    const days = (Date.parse(scheduled_at) - Date.now()) / DAY_MS;
    if (status === "scheduled") expect([days > 0, days < 15]).toEqual([true, true]);
    if (status === "posted") expect([days < 0, days > -29]).toEqual([true, true]);
    for (const one of accounts.states.filter((state) => state.status === "posted"))
      expect(one.published_url).toMatch(/^https:\/\//);
    for (const one of accounts.states.filter((state) => state.status === "failed"))
      expect(one.error_message).toMatch(/TikTok|Threads/);
  }
});

test("events name the accounts that they are about, so that limited keys see their own only", async () => {
  const rows = await stack.database.query<{ type: string; named: number; count: number }>(
    "select type, count(account_ids)::int as named, count(*)::int as count from events where type ~ '^(account|post|delivery)[.]' group by 1",
  );
  expect(rows.length).toBeGreaterThan(3);
  for (const { type, named, count } of rows) expect([type, named]).toEqual([type, count]);
});

interface State {
  status: string;
  published_url: string | null;
  error_message: string | null;
}

test("slideshows, a pack, a template, folders, a project with captions, and analytics", async () => {
  const { slideshows } = await call<{ slideshows: { title: string; status: string }[] }>("/slideshows");
  expect(slideshows.map(({ title, status }) => [title, status === "rendered"])).toEqual(
    SLIDESHOWS.map(({ title, isRendered }) => [title, isRendered]),
  );
  expect(await call("/packs")).toMatchObject({ packs: [{ name: "Bergen, outside", image_count: 5 }] });
  expect(await call("/templates")).toMatchObject({ templates: [{ visibility: "workspace" }] });
  expect(await call("/folders")).toMatchObject({
    folders: [
      { name: "Shop", file_count: 2 },
      { name: "Bergen and around", file_count: 4 },
    ],
  });
  expect(await call("/files?limit=50")).toMatchObject({ total: 11 });
  const { projects } = await call<{ projects: { project_id: string }[] }>("/editor/projects");
  const project = await call<{ text_clips: { text: string }[] }>(`/editor/projects/${projects[0]?.project_id}`);
  expect(
    project.text_clips
      .map(({ text }) => text)
      .join(" ")
      .replaceAll("\n", " "),
  ).toBe("welcome to the show today we make small films about light water and music people and places thank you");
  const { engagementSeries } = await call<{ engagementSeries: { views: number }[] }>("/analytics/summary?range=30d");
  expect(engagementSeries.filter(({ views }) => views > 0).length).toBeGreaterThan(24);
});

test("events are numbered in the order of time", async () => {
  const { events } = await call<{ events: { sequence: number; created_at: string; type: string }[] }>(
    "/events?limit=100",
  );
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, place) => place + 1));
  const times = events.map(({ created_at }) => Date.parse(created_at));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(new Set(events.map(({ type }) => type))).toContain("post.partial");
});

test("no worker takes up what is past, nothing was sent to a network, and nobody got a mail", async () => {
  const { query } = stack.database;
  expect(
    await query("select id from post_deliveries where next_attempt_at < now() or lease_until is not null"),
  ).toEqual([]);
  expect(await query("select id from post_deliveries where due_at < now() and stage <> 'done'")).toEqual([]);
  expect(await query("select id from analytics_refreshes where next_attempt_at is not null")).toEqual([]);
  expect(Object.values(stack.networks.published()).flat()).toEqual([]);
  expect(await (await fetch(`${stack.mail.url}/_mails`)).json()).toEqual([]);
});

test("the key of the workspace has no requests but those of this test, and the other workspaces have no content", async () => {
  const { requests } = await call<{ requests: { operation: string }[] }>("/requests?limit=100");
  expect(requests.some(({ operation }) => operation === "posts.create")).toBe(false);
  for (const key of ["otherWorkspace", "personal"] as const) {
    expect(await call("/posts", key)).toMatchObject({ posts: [] });
    expect(await call("/slideshows", key)).toMatchObject({ slideshows: [] });
  }
});

test("the plan of a workspace does not end, however long a state is kept", async () => {
  stopClock();
  vi.setSystemTime(Date.now() + 800 * DAY_MS);
  expect(await call<{ accounts: unknown[] }>("/accounts", "otherWorkspace")).toHaveProperty("accounts");
});

test("a state that was there before gets no sample", () => {
  expect(prepareSample({ ...stack, isNew: false }, folder, (line) => lines.push(line))).toBeNull();
});
