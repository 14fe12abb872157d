// Threads and first comments over HTTP: what their account states say, and what a retry and an update do with them.
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { queryRows } from "../support/harness.ts";
import { expectError, openPostTenant, updateDeliveries } from "./post-requests.ts";

const { api, bluesky, ...setting } = await openPostTenant();
const WAITING = { status: "waiting", url: null, error_message: null };
const ROOT = { published_url: "https://bsky.app/profile/a/post/b", published_at: new Date().toISOString() };

const createPost = (more: object = {}) =>
  setting.createPost({
    ...{ accounts: [{ id: bluesky.id }], media: null, scheduled_at: undefined },
    ...{ thread: [{ caption: "two" }, { caption: "three" }], first_comment: "four" },
    ...more,
  });
const getState = async (id: string) => (await api.get(`/posts/${id}`)).body.data.accounts.states[0];

/** The state that a worker leaves: parts before `part` are out, and it has failed. */
const failPart = (id: string, part: number, status: string) =>
  updateDeliveries(
    id,
    sql`status = ${status}, stage = 'done', part = ${part}::int, next_attempt_at = null, error_code = 'rejected',
      error_message = 'The network rejected it.', published_url = ${ROOT.published_url}, published_at = ${ROOT.published_at},
      parts = (select jsonb_agg(case when n < ${part}::int then p || '{"status": "posted", "id": "1"}'
          when n = ${part}::int then p || '{"status": "failed", "error": "The network rejected it."}' else p end order by n)
        from jsonb_array_elements(parts) with ordinality t(p, n))`,
  );

const readRow = async (id: string) =>
  (
    await queryRows(sql`select status, stage, part, next_attempt_at is not null as due,
    (select jsonb_agg(p->>'status') from jsonb_array_elements(parts) p) as parts from post_deliveries where post_id = ${id}`)
  )[0];

test("200 names each part of a thread and the first comment, and null without", async () => {
  expect(await getState(await createPost())).toMatchObject({ parts: [WAITING, WAITING], first_comment: WAITING });
  const plain = await createPost({ thread: null, first_comment: null });
  expect(await getState(plain)).toMatchObject({ parts: null, first_comment: null });
  const own = await createPost({ thread: null, accounts: [{ id: bluesky.id, first_comment: null }] });
  expect(await getState(own)).toMatchObject({ parts: null, first_comment: null });
});

test("200 a retry of a partial account sends only what is missing, 409 an update of it", async () => {
  const id = await createPost();
  await failPart(id, 2, "partial");
  const failed = { status: "failed", url: null, error_message: "The network rejected it." };
  const { body } = await api.get(`/posts/${id}`);
  expect([body.data.status, body.data.accounts.states[0].published_url]).toEqual(["partial", ROOT.published_url]);
  expect(body.data.accounts.states[0]).toMatchObject({ status: "partial", parts: [{ status: "posted" }, failed] });
  expectError(await api.patch(`/posts/${id}`, { caption: "other" }), 409, "post_not_editable");
  const retried = await api.post("/posts/retry", { post_ids: [id] });
  expect(retried.body.data).toMatchObject({ retried: 1, failed: [] });
  const parts = ["posted", "waiting", "waiting"];
  expect(await readRow(id)).toEqual({ status: "pending", stage: "new", part: 2, due: true, parts });
  expectError(await api.patch(`/posts/${id}`, { caption: "other" }), 409, "post_in_flight");
  const deleted = await api.post("/posts/delete", { post_ids: [id] });
  expect(deleted.body.data.blockedStatuses).toEqual([{ id, status: "pending" }]);
});

test("200 a retry sends a failed first comment again, and the post stays posted", async () => {
  const id = await createPost();
  await failPart(id, 3, "posted");
  expect(await getState(id)).toMatchObject({
    ...{ status: "posted", error_code: null, error_message: null },
    first_comment: { status: "failed", error_message: "The network rejected it." },
  });
  const retried = await api.post("/posts/retry", { post_ids: [id] });
  expect(retried.body.data).toMatchObject({ retried: 1, failed: [] });
  const parts = ["posted", "posted", "waiting"];
  expect(await readRow(id)).toEqual({ status: "posted", stage: "new", part: 3, due: true, parts });
  const again = await api.post("/posts/retry", { post_ids: [id] });
  expect(again.body.data).toMatchObject({ retried: 0, failed: [id] });
});
