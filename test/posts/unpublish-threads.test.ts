// Taking down threads and first comments over HTTP: nothing of the account's own stays, and nothing is removed too early.
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { callControl, queryRows, readPublished, type TestAccount } from "../support/harness.ts";
import { expectError, updateDeliveries } from "./post-requests.ts";
import { type PublishedSetting, publishTo, readPost, unpublish } from "./published-post.ts";

const THREAD = { thread: [{ caption: "Second" }, { caption: "Third" }] };
const WITH_COMMENT = { ...THREAD, first_comment: "A comment" };
/** X rejects a text that the account has published already. */
const PARTIAL = { thread: [{ caption: "Second" }, { caption: "What is out" }, { caption: "Fourth" }] };

const edit = ({ tenant, postId }: PublishedSetting, body: object) =>
  tenant.api.post(`/posts/${postId}/edit-published`, body);
const readEvents = async ({ tenant }: PublishedSetting) =>
  (await tenant.api.get("/events?limit=200")).body.data.events.map(({ type }: { type: string }) => type);

const behave = ({ platform, externalId }: TestAccount, call: string, answer: string, times: number) =>
  callControl("POST", "/_behave", { network: platform, account: externalId, call, answer, times });

const countPublished = async ({ accounts }: PublishedSetting) => {
  const all = await Promise.all(accounts.map(readPublished));
  return all.map(({ length }) => length);
};

const REMOVALS = { twitter: "tweets/delete", bluesky: "deleteRecord" } as const;

test("200 removes the first comment, the replies from the last one on, and then the post", async () => {
  const setting = await publishTo(["twitter", "bluesky", "threads"], { more: WITH_COMMENT });
  expect(await countPublished(setting)).toEqual([4, 4, 4]);
  const [twitter] = setting.accounts as [TestAccount];
  const order = (await readPublished(twitter)).map(({ id }) => `/2/tweets/${id}`);
  const { status, body } = await unpublish(setting);
  expect([status, body.data.status]).toEqual([200, "deleted"]);
  expect(body.data.results.map(({ result }: { result: string }) => result)).toEqual(Array(3).fill("unpublished"));
  expect(await countPublished(setting)).toEqual([0, 0, 0]);
  const { calls } = await callControl<{ calls: { account: string; path: string; call: string }[] }>("GET", "/_log");
  const removals = calls.filter((one) => one.account === twitter.externalId && one.call === REMOVALS.twitter);
  expect(removals.map(({ path }) => path)).toEqual(order.toReversed());
});

test("200 removes what is out of a thread that is not complete", async () => {
  const setting = await publishTo(["twitter"], { more: PARTIAL });
  expect(await readPost(setting)).toMatchObject({ status: "partial", accounts: { states: [{ status: "partial" }] } });
  expect(await countPublished(setting)).toEqual([2]);
  expect((await unpublish(setting)).body.data).toMatchObject({
    status: "deleted",
    results: [{ result: "unpublished" }],
  });
  expect(await countPublished(setting)).toEqual([0]);
  const retried = await setting.tenant.api.post("/posts/retry", { post_ids: [setting.postId] });
  expect(retried.body.data).toMatchObject({ retried: 0 });
});

test.each(["drop_before", "drop_after", "500"])(
  "200 after a lost answer (%s) it goes on with the next",
  async (answer) => {
    const setting = await publishTo(["twitter", "bluesky"], { more: THREAD });
    const [twitter, bluesky] = setting.accounts as [TestAccount, TestAccount];
    await behave(twitter, REMOVALS.twitter, answer, 1);
    await behave(bluesky, REMOVALS.bluesky, answer, 1);
    const { body } = await unpublish(setting);
    expect(body.data).toMatchObject({
      status: "deleted",
      results: [{ result: "unpublished" }, { result: "unpublished" }],
    });
    expect(await countPublished(setting)).toEqual([0, 0]);
  },
);

test("200 failed leaves the account as it is, and a repetition removes the rest", async () => {
  const setting = await publishTo(["twitter", "bluesky"], { more: THREAD });
  const [twitter, bluesky] = setting.accounts as [TestAccount, TestAccount];
  await behave(twitter, REMOVALS.twitter, "drop_after", 3);
  await behave(bluesky, REMOVALS.bluesky, "drop_after", 3);
  const { body } = await unpublish(setting);
  expect(body.data).toMatchObject({ status: "posted", results: [{ result: "failed" }, { result: "failed" }] });
  expect(await countPublished(setting)).toEqual([2, 2]);
  expect((await unpublish(setting)).body.data.status).toBe("deleted");
  expect(await countPublished(setting)).toEqual([0, 0]);
});

test("200 a reply whose id the network never named is left, and the message says so", async () => {
  const setting = await publishTo(["threads"], { more: THREAD });
  await updateDeliveries(setting.postId, sql`parts = jsonb_set(parts, '{1,id}', 'null')`);
  const { body } = await unpublish(setting);
  expect(body.data).toMatchObject({
    status: "deleted",
    results: [{ result: "unpublished", message: expect.stringMatching(/ids of 1 of its replies.*Threads app/) }],
  });
  expect(await readPublished(setting.accounts[0] as TestAccount)).toMatchObject([{ caption: "Third" }]);
});

describe("409 post_in_flight", () => {
  test("while a reply or the first comment is to follow, with the time", async () => {
    const setting = await publishTo(["bluesky"], { more: WITH_COMMENT });
    const waiting = (part: number, status: string) =>
      updateDeliveries(
        setting.postId,
        sql`status = ${status}, stage = 'new', part = ${part}::int, next_attempt_at = now() + interval '1 hour',
          parts = jsonb_set(parts, array[${part - 1}::text, 'status'], '"waiting"')`,
      );
    for (const [part, status] of [
      [3, "posted"],
      [2, "retry"],
      [2, "pending"],
    ] as const) {
      await waiting(part, status);
      for (const response of [await unpublish(setting), await edit(setting, { caption: "b" })]) {
        expectError(response, 409, "post_in_flight");
        expect(response.body.message).toMatch(/is still to follow\. Retry after 20\d\d-/);
        expect(response.body.retry_after_seconds).toBeGreaterThan(3_500);
      }
    }
    expect(await countPublished(setting)).toEqual([4]);
  });

  test("while it is not known whether a reply is out", async () => {
    const setting = await publishTo(["twitter"], { more: THREAD });
    const unknown = sql`status = 'partial', stage = 'armed', part = 2, next_attempt_at = null,
      parts = jsonb_set(jsonb_set(parts, '{1,status}', '"failed"'), '{1,id}', 'null')`;
    await updateDeliveries(setting.postId, unknown);
    const response = await unpublish(setting);
    expectError(response, 409, "post_in_flight");
    expect(response.body.message).toContain("POST /posts/retry");
    expect(await countPublished(setting)).toEqual([3]);
  });
});

describe("events", () => {
  const setStatus = ({ postId }: PublishedSetting, account: TestAccount, status: string) =>
    queryRows(
      sql`update post_deliveries set status = ${status} where post_id = ${postId} and account_id = ${account.id} returning id`,
    );

  test.each([
    ["partial", "partial"],
    ["failed", "failed"],
    ["posted", "posted"],
  ])("beside an account that is %s the post is %s, and only the takedown is told", async (other, status) => {
    const setting = await publishTo(["twitter", "bluesky"], { more: THREAD });
    const [twitter, bluesky] = setting.accounts as [TestAccount, TestAccount];
    await setStatus(setting, bluesky, other);
    const before = await readEvents(setting);
    const { body } = await unpublish(setting, { account_ids: [twitter.id] });
    expect(body.data).toMatchObject({ status, results: [{ result: "unpublished" }] });
    expect((await readEvents(setting)).slice(before.length)).toEqual(["post.unpublished"]);
  });

  test("a partial account that is taken down beside a posted one leaves a posted post", async () => {
    const setting = await publishTo(["twitter", "bluesky"], { more: THREAD });
    const [twitter] = setting.accounts as [TestAccount];
    await setStatus(setting, twitter, "partial");
    const before = await readEvents(setting);
    const { body } = await unpublish(setting, { account_ids: [twitter.id] });
    expect(body.data.status).toBe("posted");
    expect((await readEvents(setting)).slice(before.length)).toEqual(["post.unpublished"]);
  });
});

describe("an id that the network named later", () => {
  const forgetId = ({ postId }: PublishedSetting) => updateDeliveries(postId, sql`platform_post_id = null`);

  test.each([{}, WITH_COMMENT])("200 is asked for before the removal", async (more) => {
    const setting = await publishTo(["threads"], { more });
    await forgetId(setting);
    expect((await unpublish(setting)).body.data).toMatchObject({
      status: "deleted",
      results: [{ result: "unpublished" }],
    });
    expect(await countPublished(setting)).toEqual([0]);
  });

  test("200 failed while the network does not name it, and nothing is removed", async () => {
    const setting = await publishTo(["twitter"], { more: THREAD });
    await forgetId(setting);
    expect((await unpublish(setting)).body.data).toMatchObject({
      status: "posted",
      results: [{ result: "failed", message: expect.stringMatching(/has not named the id.*Repeat the request later/) }],
    });
    expect(await countPublished(setting)).toEqual([3]);
  });
});
