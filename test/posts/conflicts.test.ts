// Warnings about other posts of the same account: the same text within 24 hours, and posts within one minute.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestAccount, openTestDatabase } from "../support/harness.ts";
import { insertPosts, runOn } from "../support/insert-posts.ts";
import { inHours, openPostTenant, updateDeliveries } from "./post-requests.ts";

const { tenant, api, buildBody } = await openPostTenant();

/** An account of its own per test. */
const openAccount = async () => (await createTestAccount(tenant, "instagram")).id;

const buildPost = (id: string, caption: string, hours: number, more: object = {}) =>
  buildBody({ caption, accounts: [{ id }], scheduled_at: inHours(hours), ...more });

const listCodes = ({ body }: { body: { data: { warnings: { code: string }[] } } }) =>
  body.data.warnings.map(({ code }) => code);

test("201 warns of the same text on the same account within 24 hours, and of no other", async () => {
  const [id, other] = [await openAccount(), await openAccount()];
  expect(listCodes(await api.post("/posts", buildPost(id, "twice", 30)))).toEqual([]);
  const second = await api.post("/posts", buildPost(id, "twice", 50));
  expect(second.status).toBe(201);
  expect(second.body.data.warnings).toEqual([
    { field: "accounts.0", code: "duplicate_text", message: expect.stringMatching(/same text .*change the caption/) },
  ]);
  expect(listCodes(await api.post("/posts", buildPost(id, "twice", 80)))).toEqual([]);
  expect(listCodes(await api.post("/posts", buildPost(id, "another text", 40)))).toEqual([]);
  expect(listCodes(await api.post("/posts", buildPost(other, "twice", 40)))).toEqual([]);
});

test("201 warns of two posts of an account within one minute", async () => {
  const [id, other] = [await openAccount(), await openAccount()];
  await api.post("/posts", buildPost(id, "first", 5));
  const both = buildPost(id, "second", 5, { accounts: [{ id: other }, { id }] });
  const { body } = await api.post("/posts", both);
  expect(body.data.warnings).toEqual([
    { field: "accounts.1", code: "posts_within_minute", message: expect.stringContaining("within the same minute") },
  ]);
  expect(listCodes(await api.post("/posts", buildPost(id, "third", 5 + 2 / 60)))).toEqual([]);
});

test("201 finds the post beside it among hundreds of its account", async () => {
  const id = await openAccount();
  const at = inHours(40);
  await api.post("/posts", buildPost(id, "beside", 0, { scheduled_at: at }));
  await insertPosts(runOn(openTestDatabase()), {
    ...{ tenant, accountIds: [id], count: 200, statuses: ["scheduled"], label: `Before ${id}` },
    ...{ created: [new Date(), new Date()], due: [new Date(inHours(10)), new Date(inHours(39))] },
  });
  const post = await api.post("/posts", buildPost(id, "beside", 0, { scheduled_at: at }));
  expect(listCodes(post)).toEqual(["duplicate_text", "posts_within_minute"]);
});

test("201 compares a post for the next slot with the posts around that slot", async () => {
  const id = await openAccount();
  const slotAt = new Date(inHours(5 * 24));
  const weekday = ((slotAt.getUTCDay() + 6) % 7) + 1;
  const slots = [{ weekday, time: slotAt.toISOString().slice(11, 16) }];
  const saved = await api.call("PUT", `/accounts/${id}/slots`, { body: { time_zone: "UTC", slots } });
  expect(saved.status).toBe(200);
  await api.post("/posts", buildPost(id, "weekly", 5 * 24 + 3));
  const post = await api.post("/posts", buildPost(id, "weekly", 0, { scheduled_at: "next_slot" }));
  expect(listCodes(post)).toEqual(["duplicate_text"]);
  const moved = await api.patch(`/posts/${post.body.data.id}`, { scheduled_at: "next_slot" });
  expect(listCodes(moved)).toEqual(["duplicate_text"]);
});

test("a published post counts at the time it went out, a failed, deleted or drafted one does not", async () => {
  const id = await openAccount();
  const post = await api.post("/posts", buildPost(id, "out", 1));
  const published = sql`status = 'posted', stage = 'done', next_attempt_at = null`;
  await updateDeliveries(post.body.data.id, sql`${published}, published_at = now() - interval '23 hours'`);
  const again = () => api.post("/posts/prepare", buildBody({ caption: "out", accounts: [{ id }] }));
  expect(listCodes(await again())).toEqual(["duplicate_text"]);
  expect(listCodes(await again())).toEqual(["duplicate_text"]);
  await updateDeliveries(post.body.data.id, sql`published_at = now() - interval '25 hours'`);
  expect(listCodes(await again())).toEqual([]);
  await updateDeliveries(post.body.data.id, sql`published_at = now(), status = 'deleted'`);
  expect(listCodes(await again())).toEqual([]);
  await updateDeliveries(post.body.data.id, sql`published_at = null, status = 'failed'`);
  expect(listCodes(await again())).toEqual([]);
});

test("a post does not conflict with itself: repeated, updated or committed", async () => {
  const id = await openAccount();
  const sent = buildPost(id, "own", 3, { external_id: `own-${newId()}` });
  const post = await api.post("/posts", sent);
  const repeated = await api.post("/posts", sent);
  expect(repeated.body.data.duplicate).toBe(true);
  expect(listCodes(repeated)).toEqual([]);
  expect(listCodes(await api.patch(`/posts/${post.body.data.id}`, { caption: "own" }))).toEqual([]);
});

test("200 update and commit warn of what the change conflicts with", async () => {
  const id = await openAccount();
  await api.post("/posts", buildPost(id, "taken", 10));
  const draft = await api.post("/posts/prepare", buildPost(id, "free", 60));
  const path = `/posts/${draft.body.data.id}`;
  expect(listCodes(draft)).toEqual([]);
  expect(listCodes(await api.patch(path, { caption: "taken" }))).toEqual([]);
  expect(listCodes(await api.patch(path, { scheduled_at: inHours(20) }))).toEqual(["duplicate_text"]);
  const close = inHours(10);
  const committed = await api.post(`${path}/commit`, { scheduled_at: close });
  expect(committed.status).toBe(200);
  expect(listCodes(committed)).toEqual(["duplicate_text", "posts_within_minute"]);
});

test("the text of an account is its own caption, where it has one", async () => {
  const [id, other] = [await openAccount(), await openAccount()];
  const accounts = [{ id, caption: "own words" }, { id: other }];
  expect(listCodes(await api.post("/posts", buildPost(id, "shared words", 5, { accounts })))).toEqual([]);
  expect(listCodes(await api.post("/posts", buildPost(id, "shared words", 8)))).toEqual([]);
  expect(listCodes(await api.post("/posts", buildPost(other, "shared words", 8)))).toEqual(["duplicate_text"]);
  expect(listCodes(await api.post("/posts", buildPost(id, "own words", 10)))).toEqual(["duplicate_text"]);
});
