// The simulator Worker: every network publishes from stored state, and calls at the same time lose nothing.
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Content } from "../../lib/platforms/platform.ts";
import { MAX_STATE_BYTES } from "../../lib/simulator/limit-state.ts";
import { DEFAULT_BOARD_ID } from "../../lib/simulator/networks/pinterest-boards.ts";
import { NETWORK_NAMES, type NetworkName } from "../../lib/simulator/outcomes.ts";
import { images, text, video } from "../platforms/content.ts";
import { type MediaHost, startMediaHost } from "../platforms/media-host.ts";
import { publishToEnd } from "../platforms/publish-to-end.ts";
import { queryRows } from "../support/harness.ts";
import { getPublisher, openScope, type SimulatedScope } from "./scope.ts";

let media: MediaHost;
beforeAll(async () => {
  media = await startMediaHost({ "a.jpg": 4_000, "b.jpg": 5_000, "clip.mp4": 9_000_000 });
});
afterAll(() => media.close());

const SETTINGS: Partial<Record<NetworkName, Record<string, unknown>>> = { pinterest: { board_id: DEFAULT_BOARD_ID } };
const SHAPE = { durationMs: 20_000, width: 1080, height: 1920 };
const KINDS: Record<string, (settings: Record<string, unknown>) => Content> = {
  text: (settings) => text("Hello", settings),
  image: (settings) => images(media, ["a.jpg"], settings),
  carousel: (settings) => images(media, ["a.jpg", "b.jpg"], settings),
  video: (settings) => video(media, "clip.mp4", settings, SHAPE),
};
const ABSENT: Partial<Record<NetworkName, string[]>> = {
  tiktok: ["text"],
  instagram: ["text"],
  pinterest: ["text"],
  hosted: ["text"],
  youtube: ["text", "image", "carousel"],
};
const CELLS = NETWORK_NAMES.flatMap((network) =>
  Object.keys(KINDS)
    .filter((kind) => !ABSENT[network]?.includes(kind))
    .map((kind): [NetworkName, string] => [network, kind]),
);

test.each(CELLS)("%s publishes a post of kind %s", async (network, kind) => {
  const scope = await openScope();
  const account = scope.findAccount(network);
  const job = scope.job(network, KINDS[kind]?.(SETTINGS[network] ?? {}) ?? text(""));
  const published = await publishToEnd(getPublisher(network, account), job);
  expect(published.state).toBe("published");
  expect(published.platformPostId).not.toBeNull();
});

test("every account of a network publishes", async () => {
  const scope = await openScope();
  for (const [network, settings] of [
    ["linkedin", {}],
    ["tiktok", { privacy_level: "SELF_ONLY" }],
  ] as const) {
    const account = scope.findAccount(network, 1);
    const job = scope.job(network, images(media, ["a.jpg"], settings), account);
    expect(await publishToEnd(getPublisher(network, account), job)).toMatchObject({ state: "published" });
  }
});

const post = (scope: SimulatedScope, message: string) => {
  const { externalId, accessToken } = scope.findAccount("facebook");
  return scope.call(`/facebook/v24.0/${externalId}/feed`, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ message }).toString(),
  });
};

const list = async (scope: SimulatedScope) => {
  const { externalId, accessToken } = scope.findAccount("facebook");
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await scope.call(`/facebook/v24.0/${externalId}/published_posts?limit=100`, { headers });
  return ((await response.json()) as { data: { message: string }[] }).data.map(({ message }) => message);
};

test("calls of one account at the same time lose nothing", async () => {
  const scope = await openScope();
  const messages = Array.from({ length: 12 }, (_, at) => `Post ${at}`);
  const responses = await Promise.all(messages.map((message) => post(scope, message)));
  expect(responses.map(({ status }) => status)).toEqual(messages.map(() => 200));
  expect(new Set(await list(scope))).toEqual(new Set(messages));
});

test("a scope sees nothing of another, and its tokens are worth nothing there", async () => {
  const [own, other] = [await openScope(), await openScope()];
  expect((await post(own, "Mine")).status).toBe(200);
  expect(await list(other)).toEqual([]);
  const headers = { authorization: `Bearer ${own.findAccount("facebook").accessToken}` };
  const path = `/facebook/v24.0/${own.findAccount("facebook").externalId}/published_posts`;
  expect((await other.call(path, { headers })).status).toBe(400);
  expect(await (await other.call(path, { headers })).json()).toMatchObject({ error: { code: 190 } });
});

test("the stored state of a network stays within its bytes, and what is new is kept", async () => {
  const scope = await openScope();
  await post(scope, "Before");
  // 5 MB that no network reads.
  await queryRows(sql`update simulator_states set state = jsonb_set(state, '{lists,old}',
    (select jsonb_agg(repeat('a', 50000)) from generate_series(1, 100))) where scope_id = ${scope.scopeId}`);
  await post(scope, "After");
  const [row] = await queryRows<{ bytes: number; old: number }>(sql`select octet_length(state::text) as bytes,
    jsonb_array_length(state->'lists'->'old') as old from simulator_states where scope_id = ${scope.scopeId}`);
  expect(row?.old).toBeGreaterThan(70);
  expect(row?.old).toBeLessThan(100);
  // Postgres prints JSON with spaces.
  expect(row?.bytes).toBeLessThan(MAX_STATE_BYTES * 1.01);
  expect(await list(scope)).toEqual(["After", "Before"]);
});

test("a reset of the scope ends what the networks know", async () => {
  const scope = await openScope();
  expect((await post(scope, "Before")).status).toBe(200);
  expect(await list(scope)).toEqual(["Before"]);
  scope.reset();
  expect(await list(scope)).toEqual([]);
  expect((await post(scope, "After")).status).toBe(200);
  expect(await list(scope)).toEqual(["After"]);
});

test("a call without scope, time or network is refused, and so is a body that is too large", async () => {
  const scope = await openScope();
  expect((await scope.call("/myspace/posts")).status).toBe(404);
  expect((await scope.call("/facebook/nothing")).status).toBe(404);
  expect((await scope.call("/facebook/x", {}, { "x-sandbox-scope": "1" })).status).toBe(400);
  expect((await scope.call("/facebook/x", {}, { "x-sandbox-now": "yesterday" })).status).toBe(400);
  const send = (body: BodyInit, headers = {}) => scope.call("/tiktok/upload/", { method: "PUT", body, headers });
  expect((await send(new Uint8Array(64_000_001))).status).toBe(413);
  // A network that knows no such upload has read it.
  expect((await send(new Uint8Array(64_000_000))).status).toBe(403);
  const form = { "content-type": "multipart/form-data; boundary=x" };
  expect((await send(new Uint8Array(24_000_001), form)).status).toBe(413);
});
