// A key with posts:write and without posts:publish: it makes, changes and deletes drafts, and nothing that goes out.
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { type Client, createClient, createTestKey, type TestResponse } from "../support/harness.ts";
import { inHours, openPostTenant, updateDeliveries } from "./post-requests.ts";

let posts: Awaited<ReturnType<typeof openPostTenant>>;
let drafter: Client;

beforeAll(async () => {
  posts = await openPostTenant();
  drafter = createClient(await createTestKey(posts.tenant, { permissions: ["posts:read", "posts:write"] }));
});

function expectNoPublishing({ status, body }: TestResponse) {
  expect([status, body.error_code]).toEqual([403, "missing_permission"]);
  expect(body.message).toContain("posts:publish");
}

test("prepares, updates and deletes a draft", async () => {
  const prepared = await drafter.post("/posts/prepare", posts.buildBody());
  expect(prepared.status).toBe(201);
  const { id } = prepared.body.data;
  expect((await drafter.patch(`/posts/${id}`, { caption: "two", scheduled_at: null })).body.data).toMatchObject({
    ...{ status: "draft", caption: "two" },
  });
  expectNoPublishing(await drafter.post(`/posts/${id}/commit`, {}));
  expect((await drafter.post("/posts/delete", { post_ids: [id] })).body.data.deletedIds).toEqual([id]);
});

test("403 naming posts:publish for what publishes or takes down", async () => {
  const id = await posts.createPost();
  expectNoPublishing(await drafter.post("/posts", posts.buildBody()));
  expectNoPublishing(await drafter.post("/posts/retry", { post_ids: [id] }));
  expectNoPublishing(await drafter.post(`/posts/${id}/unpublish`, {}));
  expectNoPublishing(await drafter.post(`/posts/${id}/edit-published`, { caption: "two" }));
});

test.each(["scheduled", "failed", "posted"])(
  "403 for a change of a post that is %s, which stays as it is",
  async (status) => {
    const id = await posts.createPost({ scheduled_at: inHours(2) });
    if (status !== "scheduled")
      await updateDeliveries(id, sql`status = ${status}, stage = 'done', next_attempt_at = null`);
    const draft = await posts.createPost({}, "/posts/prepare");
    const before = (await posts.api.get(`/posts/${id}`)).body.data;
    expect(before.status).toBe(status);
    expectNoPublishing(await drafter.patch(`/posts/${id}`, { caption: "two" }));
    expectNoPublishing(await drafter.patch(`/posts/${id}`, { draft: true }));
    expectNoPublishing(await drafter.post("/posts/delete", { post_ids: [draft, id] }));
    expect((await posts.api.get(`/posts/${id}`)).body.data).toEqual(before);
    expect((await posts.api.get(`/posts/${draft}`)).body.data.status).toBe("draft");
  },
);
