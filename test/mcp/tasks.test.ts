// Ten tasks in plain words, solved by a planner that reads nothing but titles, descriptions and schemas: each must come out, in few calls.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatTable } from "../bench/format-table.ts";
import {
  callControl,
  createBindings,
  createTestAccount,
  createTestPublisher,
  createTestTenant,
  type EnqueuedDeliveries,
  readPublished,
  type Tenant,
  type TestAccount,
  vars,
} from "../support/harness.ts";
import { runQueue } from "../support/queue.ts";
import { ASSETS, connectAgent, createMcpFetch, ORIGIN } from "./agent.ts";
import { type Outcome, Planner, type Request } from "./planner.ts";

const VIDEO = await readFile(join(import.meta.dirname, "../local/demo.mp4"));
const PHOTO = await readFile(join(import.meta.dirname, "../media/fixtures/baseline.jpg"));

const PUBLISH_MS = 10 * 60_000;

let tenant: Tenant;
let bluesky: TestAccount;
let instagram: TestAccount;
/** The network refuses its posts. */
let threads: TestAccount;
let planner: Planner;
let server: Server;
let base: string;
const enqueued: EnqueuedDeliveries[] = [];
const table: { task: string; calls: number; path: string }[] = [];

beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "image/jpeg", "Content-Length": PHOTO.length }).end(PHOTO);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  tenant = await createTestTenant();
  bluesky = await createTestAccount(tenant, "bluesky");
  instagram = await createTestAccount(tenant, "instagram");
  threads = await createTestAccount(tenant, "threads");
  await callControl("POST", "/_behave", {
    ...{ network: "threads", account: threads.externalId, answer: "refuse", times: 20 },
  });
  const allowed = `${vars.ALLOWED_PRIVATE_HOSTS},${new URL(base).host}`;
  const bindings = { ...createBindings(enqueued), ASSETS, PUBLIC_URL: ORIGIN, ALLOWED_PRIVATE_HOSTS: allowed };
  const client = await connectAgent(tenant.token, "2026-07-28", createMcpFetch(bindings));
  planner = new Planner(client, (await client.listTools()).tools);
});

afterAll(() => {
  server.close();
  process.stdout.write(`\n${formatTable({ title: "Tasks in plain words", rows: table, broken: [] })}\n`);
});

async function solve(request: Request, mostCalls: number): Promise<Outcome> {
  const outcome = await planner.solve(request);
  table.push({ task: request.words, calls: outcome.calls.length, path: outcome.calls.join(" > ") });
  expect(outcome.calls.length).toBeLessThanOrEqual(mostCalls);
  return outcome;
}

const readPost = async (id: unknown) => (await tenant.api.get(`/posts/${id}`)).body.data;

/** Runs the queue until nothing is due for a while. */
async function publish(): Promise<void> {
  const publisher = createTestPublisher(new Date());
  publisher.enqueuedDeliveries.push(...enqueued.splice(0));
  await runQueue(publisher, new Date(Date.now() + PUBLISH_MS));
}

test("which accounts are there", async () => {
  const { result } = await solve({ words: "Which social accounts are connected?" }, 1);
  const ids = (result.accounts as { id: string }[]).map(({ id }) => id);
  expect(ids.toSorted()).toEqual([bluesky.id, instagram.id, threads.id].toSorted());
});

test("a draft of a text", async () => {
  const caption = "A quiet morning by the harbour";
  const { result } = await solve({ words: "Prepare a post for Bluesky as a draft", values: { caption } }, 2);
  expect(await readPost(result.id)).toMatchObject({ status: "draft", caption });
});

test("a text is published", async () => {
  const caption = "Bread is ready at eight";
  const { result } = await solve({ words: "Publish a post on Bluesky at once", values: { caption } }, 3);
  await publish();
  expect((await readPost(result.id)).status).toBe("posted");
  expect((await readPublished(bluesky)).filter((post) => JSON.stringify(post).includes(caption))).toHaveLength(1);
});

test("a picture of the web is published", async () => {
  const request = { words: "Publish this picture on Instagram", values: { caption: "From the web" } };
  const { result } = await solve({ ...request, address: `${base}/picture.jpg` }, 4);
  await publish();
  expect((await readPost(result.id)).status).toBe("posted");
  expect(await readPublished(instagram)).toHaveLength(1);
});

test("a video of this machine becomes a draft", async () => {
  const file = { contentType: "video/mp4", bytes: VIDEO };
  const request = { words: "Prepare a post with this video for Instagram", values: { caption: "By hand" }, file };
  const { result } = await solve(request, 4);
  const { media, status } = await readPost(result.id);
  expect([status, media.type]).toEqual(["draft", "video"]);
});

test("a post is scheduled by the user's clock", async () => {
  const scheduled_at = { local: "2099-05-01T18:00", time_zone: "Europe/Berlin" };
  const values = { caption: "Doors open at seven", scheduled_at };
  const { result } = await solve({ words: "Publish a post on Bluesky at a time", values }, 3);
  expect(await readPost(result.id)).toMatchObject({ status: "scheduled", scheduled_at: "2099-05-01T16:00:00.000Z" });
});

test("a person is asked first", async () => {
  const values = { caption: "The menu of May", recipient: "Ann" };
  const { result } = await solve({ words: "Request an approval by a person for a draft on Bluesky", values }, 3);
  expect(result.url).toMatch(/\/approve\//);
});

test("a draft is corrected", async () => {
  const values = { caption: "A quiet evening by the harbour" };
  const which = "A quiet morning by the harbour";
  const { result } = await solve({ words: "Change the caption of a draft", values, which }, 2);
  expect(await readPost(result.id)).toMatchObject({ status: "draft", caption: values.caption });
});

test("a failure is explained", async () => {
  const caption = "Lost on the way";
  await tenant.api
    .post("/posts", { caption, accounts: [{ id: threads.id }] })
    .then(({ status }) => expect(status).toBe(201));
  enqueued.push(...tenant.api.enqueuedDeliveries.splice(0));
  await publish();
  const { result } = await solve({ words: "Why did the post fail on each account?", which: caption }, 2);
  const { states } = result.accounts as { states: { status: string; error_message: string }[] };
  expect(result.caption).toBe(caption);
  expect(states).toMatchObject([{ status: "failed", error_message: expect.stringMatching(/\w{3}/) }]);
});

test("a slideshow is written and drawn", async () => {
  const values = { prompt: "Three reasons to bake at home", slide_count: 2 };
  const { result } = await solve({ words: "Draw a slideshow about a topic as images", values }, 2);
  const slides = result.slides as { rendered_image_url: string }[];
  expect(slides.map(({ rendered_image_url: url }) => url)).toEqual([
    expect.stringMatching(/^http/),
    expect.stringMatching(/^http/),
  ]);
});
