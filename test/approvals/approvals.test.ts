// Approvals over the API: asked for by a key of drafts only, given by another key, and bound to what was shown.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import { expectError, openPostTenant } from "../posts/post-requests.ts";
import {
  type Client,
  createClient,
  createTestAccount,
  createTestKey,
  createTestTenant,
  queryRows,
} from "../support/harness.ts";
import { createBrowser } from "../workspace/dashboard.ts";

let posts: Awaited<ReturnType<typeof openPostTenant>>;
/** Writes drafts and asks for their approval. */
let drafter: Client;
let approver: Client;

beforeAll(async () => {
  posts = await openPostTenant();
  const key = async (permissions: ("posts:read" | "posts:write" | "posts:approve")[]) =>
    createClient(await createTestKey(posts.tenant, { permissions }));
  drafter = await key(["posts:read", "posts:write"]);
  approver = await key(["posts:read", "posts:approve"]);
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function askFor(request: object = {}, more: object = {}) {
  const draft = posts.buildBody({ scheduled_at: inDays(2), ...more });
  const post: string = (await drafter.post("/posts/prepare", draft)).body.data.id;
  const { status, body } = await drafter.post(`/posts/${post}/approvals`, request);
  expect([status, body.error_code]).toEqual([201, undefined]);
  const path = `/posts/${post}/approvals`;
  const readStatus = async () => (await posts.api.get(`/posts/${post}`)).body.data.status;
  return { post, path, ...body.data, approve: `${path}/${body.data.id}/approve`, readStatus };
}

test("201 with a link, whose page shows the message and publishes the draft", async () => {
  const asked = await askFor({ recipient: "Ann", message: "For <Friday>", expires_in: 3600 });
  expect(Date.parse(asked.expires_at) - Date.now()).toBeGreaterThan(3_500_000);
  const page = await createBrowser().visit(new URL(asked.url).pathname);
  expect(page.text).toContain("For &lt;Friday&gt;");
  await createBrowser().visit(new URL(asked.url).pathname, { form: { decision: "approve" } });
  expect(await asked.readStatus()).toBe("scheduled");
  const { approvals } = (await drafter.get(asked.path)).body.data;
  expect(approvals).toEqual([
    {
      ...{ id: asked.id, post_id: asked.post, recipient: "Ann", message: "For <Friday>", decision: "approved" },
      ...{ fingerprint: asked.fingerprint, comment: null, withdrawn_at: null, expires_at: asked.expires_at },
      ...{ decided_at: expect.any(String), created_at: expect.any(String) },
    },
  ]);
});

test("a key with posts:approve publishes what was shown, once, and events and the audit log say so", async () => {
  const asked = await askFor();
  const { status, body } = await approver.post(asked.approve);
  expect([status, body.data.status, body.data.approval.decision]).toEqual([200, "scheduled", "approved"]);
  expectError(await approver.post(asked.approve), 409, "approval_ended");
  const { events } = (await posts.api.get("/events?types=approval.requested,approval.approved&limit=200")).body.data;
  const own = events.filter((event: { data: { object: { id: string } } }) => event.data.object.id === asked.id);
  expect(own.map(({ type, data }: { type: string; data: { object: object } }) => [type, data.object])).toEqual([
    ["approval.requested", expect.objectContaining({ fingerprint: asked.fingerprint, decision: null })],
    ["approval.approved", body.data.approval],
  ]);
  const log = await queryRows<{ line: string }>(
    sql`select noun || ' ' || action as line from audit_log where record_id in (${asked.post}, ${asked.id}) order by id`,
  );
  expect(log.map(({ line }) => line).sort()).toEqual([
    ...["approval_links approvals.approve", "approval_links approvals.create"],
    ...["posts approvals.approve", "posts posts.prepare"],
  ]);
});

test("403 own_draft for the key that prepared the draft, and for one that changed it", async () => {
  const both = createClient(await createTestKey(posts.tenant));
  const post = (await both.post("/posts/prepare", posts.buildBody())).body.data.id;
  const { id } = (await both.post(`/posts/${post}/approvals`, {})).body.data;
  expectError(await both.post(`/posts/${post}/approvals/${id}/approve`), 403, "own_draft");
  const other = await askFor();
  await both.patch(`/posts/${other.post}`, { caption: "two" });
  expectError(await both.post(other.approve), 403, "own_draft");
  const without = await drafter.post(other.approve);
  expectError(without, 403, "missing_permission");
  expect(without.body.message).toContain("posts:approve");
  expect(await other.readStatus()).toBe("draft");
});

describe("409 plan_changed, and nothing is published, when", () => {
  const change = (patch: object) => (post: string) => drafter.patch(`/posts/${post}`, patch);
  test.each([
    ["the caption", change({ caption: "two" })],
    ["the time", change({ scheduled_at: inDays(3) })],
    ["a setting", change({ settings: { instagram: { post_type: "story" } } })],
    ["the accounts", (post: string) => drafter.patch(`/posts/${post}`, { accounts: [{ id: posts.bluesky.id }] })],
    [
      "a byte of the media",
      () => queryRows(sql`update files set sha256 = ${"0".repeat(64)} where url = ${posts.url} returning id`),
    ],
  ])("%s changed", async (_what, change) => {
    const asked = await askFor();
    await change(asked.post);
    expectError(await approver.post(asked.approve), 409, "plan_changed");
    expect(await asked.readStatus()).toBe("draft");
    expect((await drafter.get(asked.path)).body.data.approvals[0].decision).toBe(null);
  });
});

test("a withdrawn or expired approval approves nothing; 404 for another post, workspace or a limited key", async () => {
  const asked = await askFor();
  const stranger = await createTestTenant();
  const limited = createClient(
    await createTestKey(posts.tenant, { accountIds: [(await createTestAccount(posts.tenant, "threads")).id] }),
  );
  for (const api of [stranger.api, limited]) {
    expectError(await api.get(asked.path), 404, "not_found");
    expectError(await api.delete(`${asked.path}/${asked.id}`), 404, "not_found");
    expectError(await api.post(asked.approve), 404, "not_found");
    expectError(await api.post(asked.path, {}), 404, "not_found");
  }
  const other = await askFor();
  expectError(await approver.post(`${other.path}/${asked.id}/approve`), 404, "not_found");
  expect((await drafter.delete(`${asked.path}/${asked.id}`)).body.data).toEqual({ id: asked.id, withdrawn: true });
  expectError(await drafter.delete(`${asked.path}/${asked.id}`), 404, "not_found");
  expectError(await approver.post(asked.approve), 409, "approval_ended");
  await queryRows(sql`update approval_links set expires_at = now() where id = ${other.id} returning id`);
  expectError(await approver.post(other.approve), 409, "approval_ended");
  expect([await asked.readStatus(), await other.readStatus()]).toEqual(["draft", "draft"]);
});

test("409 post_not_draft for a post that goes out, 422 for a request that is no such", async () => {
  const scheduled = await posts.createPost();
  expectError(await drafter.post(`/posts/${scheduled}/approvals`, {}), 409, "post_not_draft");
  const { path } = await askFor();
  for (const body of [{ expires_in: 31 * 86_400 }, { recipient: "" }, { message: "x".repeat(2001) }, { to: "Ann" }]) {
    expectError(await drafter.post(path, body), 422, "invalid_payload");
  }
});

test("of ten approvals at once one publishes", async () => {
  const asked = await askFor();
  const answers = await Promise.all(Array.from({ length: 10 }, () => approver.post(asked.approve)));
  const codes = answers.map(({ status, body }) => body.error_code ?? status);
  expect(codes.filter((code) => code === 200)).toHaveLength(1);
  expect(codes.filter((code) => code !== 200 && code !== "approval_ended" && code !== "post_not_draft")).toEqual([]);
});

test("a retry with the same Idempotency-Key returns the same link", async () => {
  const { path } = await askFor();
  const headers = { "Idempotency-Key": newId() };
  const [first, second] = [await drafter.post(path, {}, headers), await drafter.post(path, {}, headers)];
  expect(second.body.data).toEqual(first.body.data);
});
