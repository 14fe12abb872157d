// Test mode calls nobody: a whole run of a test key, with every host but database, Redis and storage failing.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { PLATFORMS } from "../../lib/shared/platforms.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { uploadFile } from "../editor/factories.ts";
import { DEMO_VIDEO, uploadFile as upload } from "../files/upload-file.ts";
import { createTestTenant, vars } from "../support/harness.ts";
import { createTestMode, type TestMode } from "../support/test-mode.ts";
import { createSpokenVideo } from "../transcription/spoken-video.ts";
import type { SimulatorCall } from "./simulator.ts";
import { createSimulator } from "./simulator.ts";

const OWN = ["DATABASE_FETCH_URL", "UPSTASH_REDIS_REST_URL", "S3_ENDPOINT", "CDN_URL"].map(
  (name) => new URL(vars[name] ?? "").origin,
);
const original = globalThis.fetch;
/** The origins that were called, and are not ours. */
const called = new Set<string>();
const calls: SimulatorCall[] = [];
const env = { SIMULATOR: createSimulator(calls) };
let mode: TestMode;

beforeAll(async () => {
  mode = await createTestMode(await createTestTenant());
  globalThis.fetch = async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : String(input));
    if (OWN.includes(origin)) return original(input, init);
    called.add(origin);
    throw new TypeError(`${origin} is not reachable in this test.`);
  };
});
afterAll(() => {
  globalThis.fetch = original;
});

async function call(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await mode.api.call(method, path, { env, body, ...(headers ? { headers } : {}) });
  expect([path, response.status < 300, response.body.message]).toEqual([path, true, expect.any(String)]);
  return response.body.data;
}

test("publishing to all networks, analytics, texts, captions and search reach the simulator and nobody else", async () => {
  const accounts = virtualAccounts(mode.scopeId);
  const video = (await upload(mode.api, "video/mp4", await readFile(DEMO_VIDEO))).body.data.file.url;
  // Hosted accounts take videos of 15 seconds and more.
  const long = (await upload(mode.api, "video/quicktime", await createSpokenVideo(20_000, []))).body.data.file.url;
  const at = new Date(Date.now() + DAY_MS).toISOString();
  const posts: string[] = [];
  for (const { id, platform, username, type } of accounts) {
    // Its audience is narrower than the default of a post.
    if (username === "sandbox.private") continue;
    const needsMedia = ["tiktok", "instagram", "youtube", "pinterest"].includes(platform) || type === "hosted";
    const settings = platform === "pinterest" ? { pinterest: { board_id: await findBoard(id) } } : {};
    const body = { caption: "Tea at noon", accounts: [{ id }], scheduled_at: at, ...settings };
    const response = await mode.api.call("POST", "/posts", {
      ...{
        env,
        body: { ...body, ...(needsMedia ? { media: { type: "video", url: type === "hosted" ? long : video } } : {}) },
      },
    });
    expect([platform, response.status, response.body.fields?.[0]?.message]).toEqual([platform, 201, undefined]);
    posts.push(response.body.data.id);
  }
  const { target } = await call("POST", "/analytics/targets", { platform: "threads", identifier: "sandbox.studio" });
  await call("POST", `/analytics/targets/${target.id}/refresh`);
  for (let more = true; more; )
    ({ more } = await call("POST", "/sandbox/advance", { to: new Date(Date.now() + 3 * DAY_MS).toISOString() }));
  const states = await Promise.all(posts.map(async (id) => (await call("GET", `/posts/${id}`)).status));
  expect(states).toEqual(posts.map(() => "posted"));
  const networks = new Set(calls.map(({ url }) => new URL(url).pathname.split("/")[1]));
  expect([...networks].sort()).toEqual([...PLATFORMS, "hosted"].sort());
  expect(new Set(calls.map(({ scope }) => scope))).toEqual(new Set([mode.scopeId]));
  expect(called).toEqual(new Set());
}, 120_000);

async function findBoard(id: string): Promise<string> {
  const { options } = await call("GET", `/accounts/${id}/options`);
  return options.boards[0].id;
}

test("a slideshow has texts that read as sentences, the same for the same request, others when written again", async () => {
  const body = { prompt: "Tea", slide_count: 4, skip_ai: false };
  const generated = await mode.api.call("POST", "/slideshows/generate", { env, body });
  expect([generated.status, generated.body.message]).toEqual([201, expect.any(String)]);
  const text = JSON.stringify(generated.body.data);
  expect(text).toMatch(/What I wish I had known earlier/);
  expect(text).not.toMatch(/placeholder|lorem/i);
  const path = `/slideshows/${generated.body.data.id}/slides/1/regenerate`;
  const again = await call("POST", path, {});
  expect(JSON.stringify(again)).not.toBe(text);
  expect(called).toEqual(new Set());
});

test("captions are canned words, at times within the video", async () => {
  const bytes = await createSpokenVideo(4_000, []);
  const fileId = await uploadFile(mode.api, bytes, "video/quicktime");
  const project = await call("POST", "/editor/projects", { title: "Cut", file_ids: [fileId] });
  const captions = await mode.api.call("POST", `/editor/projects/${project.project_id}/captions`, {
    ...{ env, headers: { "Idempotency-Key": "captions" }, body: {} },
  });
  expect([captions.status, captions.body.message]).toEqual([200, expect.any(String)]);
  expect(JSON.stringify(captions.body.data)).toMatch(/sample caption/);
  expect(called).toEqual(new Set());
}, 60_000);

test("the viral library answers a search by meaning", async () => {
  await call("GET", "/viral-library?q=tea");
  expect(called).toEqual(new Set());
});

test("a URL of a caller is checked and fetched as ever", async () => {
  const accounts = [{ id: virtualAccounts(mode.scopeId)[2]?.id }];
  const media = { type: "slideshow", urls: ["https://1.1.1.1/a.png"] };
  const { status } = await mode.api.call("POST", "/posts", { env, body: { caption: "Tea", accounts, media } });
  expect(status).toBe(400);
  expect(called).toEqual(new Set(["https://1.1.1.1"]));
  called.clear();
  const private_ = { type: "slideshow", urls: ["https://simulator.internal/a.png"] };
  const response = await mode.api.call("POST", "/posts", { env, body: { caption: "Tea", accounts, media: private_ } });
  expect([response.status, response.body.error_code]).toEqual([400, "media_unreachable"]);
  expect(called).toEqual(new Set());
});
