// The clock of test mode: what falls due runs in order, once, at its own time.

import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../lib/shared/durations.ts";
import { virtualAccounts } from "../../lib/simulator/virtual-accounts.ts";
import { createClient, createTestKey, createTestTenant, queryRows } from "../support/harness.ts";
import { createTestMode, type TestMode } from "../support/test-mode.ts";
import { createTestWebhook, listReceived } from "../webhooks/receiver.ts";

interface Work {
  at: string;
  what: string;
  id: string;
}

let mode: TestMode;

beforeEach(async () => {
  mode = await createTestMode(await createTestTenant());
});

function getAccount(platform: string): { id: string } {
  const found = virtualAccounts(mode.scopeId).find((account) => account.platform === platform);
  if (!found) throw new Error(`no account of ${platform}`);
  return { id: found.id };
}

async function createPost(scheduledAt: unknown, caption = "Tea", platform = "threads"): Promise<string> {
  const { status, body } = await mode.api.post("/posts", {
    ...{ caption, accounts: [getAccount(platform)], scheduled_at: scheduledAt },
  });
  expect([status, body.message]).toEqual([201, expect.any(String)]);
  return body.data.id;
}

async function advance(body: object, headers?: Record<string, string>) {
  const response = await mode.api.post("/sandbox/advance", body, headers);
  expect([response.status, response.body.message]).toEqual([200, "The clock was moved."]);
  return response.body.data as { now: string; ran: Work[]; more: boolean };
}

async function advanceAll(to: string): Promise<Work[]> {
  const ran: Work[] = [];
  for (let more = true; more; ) {
    const answer = await advance({ to });
    ran.push(...answer.ran);
    ({ more } = answer);
  }
  return ran;
}

const listPosts = (ran: Work[]) => [...new Set(ran.filter(({ what }) => what === "post").map(({ id }) => id))];
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const readPost = async (id: string) => (await mode.api.get(`/posts/${id}`)).body.data;

test("scheduled posts are published at their own times, in order", async () => {
  const [first, second] = [inMs(DAY_MS), inMs(3 * DAY_MS)];
  const late = await createPost(second);
  const early = await createPost(first);
  const to = inMs(4 * DAY_MS);
  const { now, ran, more } = await advance({ to });
  expect({ now, more }).toEqual({ now: to, more: false });
  expect(listPosts(ran)).toEqual([early, late]);
  expect(ran.map(({ at }) => at)).toEqual(ran.map(({ at }) => at).toSorted());
  for (const [id, at] of [
    [early, first],
    [late, second],
  ]) {
    const post = await readPost(id ?? "");
    expect(post.status).toBe("posted");
    const published = Date.parse(post.accounts.states[0].published_at);
    expect(published).toBeGreaterThanOrEqual(Date.parse(at ?? ""));
    expect(published).toBeLessThan(Date.parse(at ?? "") + 5 * MINUTE_MS);
  }
});

test("an advance stops before what is due later", async () => {
  const id = await createPost(inMs(2 * DAY_MS));
  await advance({ seconds: 24 * 3600 });
  expect((await readPost(id)).status).toBe("scheduled");
  const { ran } = await advance({ seconds: 24 * 3600 });
  expect(listPosts(ran)).toEqual([id]);
});

test("the checks of a post run about an hour before it, on every network", async () => {
  const at = inMs(2 * DAY_MS);
  const ids = await Promise.all(
    ["bluesky", "linkedin", "twitter", "facebook", "threads"].map((platform) => createPost(at, "Tea", platform)),
  );
  const ran = await advanceAll(inMs(3 * DAY_MS));
  const checks = ran.filter(({ what }) => what === "scheduled_check");
  expect(checks.map(({ id }) => id).sort()).toEqual([...ids].sort());
  for (const check of checks) expect(Date.parse(at) - Date.parse(check.at)).toBe(65 * MINUTE_MS);
  for (const id of ids) expect((await readPost(id)).status).toBe("posted");
});

test("a time by the clock that is skipped in spring, and one that comes twice in autumn", async () => {
  // The last Sundays of the next March and of the October after it.
  const lastSunday = (year: number, month: number) => {
    const last = new Date(Date.UTC(year, month, 0));
    return new Date(last.getTime() - last.getUTCDay() * DAY_MS).toISOString().slice(0, 10);
  };
  const thisYear = new Date().getUTCFullYear();
  const year = lastSunday(thisYear, 3) > inMs(0).slice(0, 10) ? thisYear : thisYear + 1;
  const [march, october] = [lastSunday(year, 3), lastSunday(year, 10)];
  const spring = await createPost({ local: `${march}T02:30`, time_zone: "Europe/Berlin" });
  const autumn = await createPost({ local: `${october}T02:30`, time_zone: "Europe/Berlin" });
  expect((await readPost(spring)).scheduled_at).toBe(`${march}T01:30:00.000Z`);
  expect((await readPost(autumn)).scheduled_at).toBe(`${october}T00:30:00.000Z`);
  const ran = await advanceAll(`${march}T02:00:00Z`);
  expect(listPosts(ran)).toEqual([spring]);
  expect(ran.find(({ what }) => what === "post")?.at.slice(0, 10)).toBe(march);
  expect(listPosts(await advanceAll(`${october}T01:00:00Z`))).toEqual([autumn]);
}, 60_000);

test("50 posts: as many requests as `more` asks for, each post once", async () => {
  const ids: string[] = [];
  for (let index = 0; index < 50; index++)
    ids.push(await createPost(inMs((index + 2) * 10 * MINUTE_MS), `Post ${index}`));
  const ran = await advanceAll(inMs(DAY_MS));
  expect(listPosts(ran)).toEqual(ids);
  const { posts } = (await mode.api.get("/posts?status=posted&limit=100")).body.data;
  expect(posts).toHaveLength(50);
  const published = await countPublished();
  expect(published).toBe(50);
}, 120_000);

async function countPublished(): Promise<number> {
  const rows = await queryRows<{ count: number }>(sql`select count(*)::int as count from delivery_attempts a
    join post_deliveries d on d.id = a.delivery_id join posts p on p.id = d.post_id
    where p.scope_id = ${mode.scopeId} and a.outcome = 'posted'`);
  return rows[0]?.count ?? 0;
}

test("two advances at once run one after the other, and nothing twice", async () => {
  for (let index = 1; index <= 4; index++) await createPost(inMs(index * 20 * MINUTE_MS), `Post ${index}`);
  const to = inMs(DAY_MS);
  const answers = await Promise.all([advance({ to }), advance({ to })]);
  const ran = answers.flatMap((answer) => answer.ran).filter(({ what }) => what === "post");
  expect(listPosts(ran)).toHaveLength(4);
  expect(await countPublished()).toBe(4);
  expect(answers.some((answer) => listPosts(answer.ran).length === 0)).toBe(true);
});

test("an Idempotency-Key repeats the answer and moves nothing", async () => {
  const headers = { "Idempotency-Key": "once" };
  const first = await advance({ seconds: 3600 }, headers);
  expect(await advance({ seconds: 3600 }, headers)).toEqual(first);
});

describe("422 invalid_payload", () => {
  test.each([
    ["nothing", {}],
    ["both", { seconds: 1, to: "2099-01-01T00:00:00Z" }],
    ["more than 400 days", { seconds: 400 * 86_400 + 1 }],
    ["backwards", { seconds: -1 }],
    ["an instant that is past", { to: "2020-01-01T00:00:00Z" }],
    ["an instant more than 400 days ahead", { to: new Date(Date.now() + 401 * DAY_MS).toISOString() }],
  ])("%s", async (_, body) => {
    const response = await mode.api.post("/sandbox/advance", body);
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  });
});

test("409 advance_in_progress while another runner has the lease, for a reset too", async () => {
  await queryRows(sql`update sandboxes set lease_token = gen_random_uuid(), lease_until = now() + interval '1 minute'
    where scope_id = ${mode.scopeId}`);
  const requests = [mode.api.post("/sandbox/advance", { seconds: 1 }), mode.api.post("/sandbox/reset")];
  for (const response of await Promise.all(requests)) {
    expect([response.status, response.body.error_code]).toEqual([409, "advance_in_progress"]);
    expect(response.headers.get("retry-after")).toBe("5");
  }
}, 30_000);

test("webhooks are delivered with the mode, at the time of the clock", async () => {
  const webhook = await createTestWebhook(mode, { types: ["post.scheduled", "post.published"] });
  const at = inMs(10 * DAY_MS);
  const id = await createPost(at);
  const ran = await advanceAll(inMs(11 * DAY_MS));
  const received = (await listReceived(webhook)).map(({ body }) => JSON.parse(body));
  expect(received.map(({ type, mode: name, data }) => [type, name, data.object.id])).toEqual([
    ["post.scheduled", "test", id],
    ["post.published", "test", id],
  ]);
  expect(received[1].created_at.slice(0, 10)).toBe(at.slice(0, 10));
  expect(ran.filter(({ what }) => what === "webhook")).toHaveLength(2);
});

test("a webhook that fails is retried on its schedule while the clock moves", async () => {
  const { body } = await mode.api.post("/webhooks", { url: "https://1.1.1.1:9/nowhere", types: ["post.scheduled"] });
  await queryRows(sql`update webhooks set url = 'http://nothing.invalid/hook' where id = ${body.data.id}`);
  await createPost(inMs(300 * DAY_MS));
  const ran = (await advanceAll(inMs(4 * DAY_MS))).filter(({ what }) => what === "webhook");
  expect(ran.length).toBeGreaterThan(8);
  const { deliveries } = (await mode.api.get(`/webhooks/${body.data.id}/deliveries`)).body.data;
  expect(deliveries[0]).toMatchObject({ status: "failed", next_attempt_at: null });
});

test("an approval link ends by the clock of the mode", async () => {
  const prepared = await mode.api.post("/posts/prepare", { caption: "Tea", accounts: [getAccount("threads")] });
  const path = `/posts/${prepared.body.data.id}/approvals`;
  const { body } = await mode.api.post(path, { expires_in: 86_400 });
  const { ran } = await advance({ seconds: 2 * 86_400 });
  expect(ran).toEqual([{ at: body.data.expires_at, what: "approval_expired", id: body.data.id }]);
  const other = createClient(
    await createTestKey({ ownerId: mode.ownerId, workspaceId: mode.scopeId }, { kind: "test" }),
  );
  const response = await other.post(`${path}/${body.data.id}/approve`);
  expect([response.status, response.body.error_code]).toEqual([409, "approval_ended"]);
});

test("an unknown outcome is refused at the caption, for an account too, and in live mode it is a text", async () => {
  const accounts = [{ ...getAccount("threads"), caption: "[sandbox:vanished]" }];
  for (const path of ["/posts", "/posts/prepare"]) {
    const { status, body } = await mode.api.post(path, { caption: "[sandbox:nothing]", accounts });
    expect([status, body.fields.map((one: { path: string; code: string }) => [one.path, one.code])]).toEqual([
      400,
      [
        ["caption", "unknown_sandbox_outcome"],
        ["accounts.0.caption", "unknown_sandbox_outcome"],
      ],
    ]);
  }
  const live = await createTestTenant();
  const { body } = await live.api.post("/posts/prepare", { caption: "[sandbox:nothing]", accounts });
  expect(JSON.stringify(body)).not.toContain("unknown_sandbox_outcome");
});

describe("POST /sandbox/reset", () => {
  test("empties the mode, sets the clock back, and keeps keys and the ids of accounts", async () => {
    const webhook = await createTestWebhook(mode, { types: ["*"] });
    const listAccounts = async () =>
      (await mode.api.get("/accounts?status=all")).body.data.accounts.map(({ id }: { id: string }) => id).sort();
    const before = await listAccounts();
    const id = await createPost(inMs(DAY_MS));
    await mode.api.delete(`/accounts/${getAccount("pinterest").id}`);
    const pack = newId();
    await mode.api.post("/packs", { name: pack });
    await advanceAll(inMs(30 * DAY_MS));
    const { status, body } = await mode.api.post("/sandbox/reset");
    expect(status).toBe(200);
    expect(Math.abs(Date.parse(body.data.now) - Date.now())).toBeLessThan(60_000);
    expect(await listAccounts()).toEqual(before);
    expect((await mode.api.get(`/posts/${id}`)).status).toBe(404);
    expect((await mode.api.get(`/webhooks/${webhook.id}`)).status).toBe(404);
    expect((await mode.api.get("/posts")).body.data.summary.total).toBe(0);
    const packs: { name: string }[] = (await mode.api.get("/packs")).body.data.packs;
    expect(packs.filter(({ name }) => name === pack)).toEqual([]);
    const { events } = (await mode.api.get("/events?limit=200")).body.data;
    expect(new Set(events.map(({ type }: { type: string }) => type))).toEqual(new Set(["account.connected"]));
    expect(Date.parse(events[0].created_at)).toBeLessThan(Date.now() + 60_000);
    const again = await createPost(inMs(DAY_MS));
    expect(listPosts(await advanceAll(inMs(2 * DAY_MS)))).toEqual([again]);
  });

  test("objects of its files are deleted from storage", async () => {
    const started = await mode.api.post("/files", { contentType: "image/png", size: 10 });
    expect(started.status).toBe(201);
    await mode.api.post("/sandbox/reset");
    const due = await queryRows(
      sql`select 1 from removals where object_key like ${`%${started.body.data.id}%`} and due_at <= now()`,
    );
    expect(due).toHaveLength(1);
  });
});

test("the id of a webhook.test sorts after the events before it, by the clock of the mode", async () => {
  const webhook = await createTestWebhook(mode);
  await createPost(inMs(10 * MINUTE_MS));
  await advance({ seconds: 3_600 });
  const tested = await mode.api.post(`/webhooks/${webhook.id}/test`, {});
  const { deliveries } = (await mode.api.get(`/webhooks/${webhook.id}/deliveries`)).body.data;
  expect(deliveries.length).toBeGreaterThan(1);
  expect(deliveries[0].event_id).toBe(tested.body.data.event_id);
});
