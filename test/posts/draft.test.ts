// Prepare, repair, commit over HTTP: a draft publishes nothing, says what it would meet, and goes out as it was planned.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { uploadedVideo } from "../files/uploaded.ts";
import { type MintedAccount, mintAccount, mintTenant, rows, type Tenant } from "../harness.ts";

let tenant: Tenant;
let instagram: MintedAccount;
let tiktok: MintedAccount;
let url: string;

beforeAll(async () => {
  tenant = await mintTenant();
  [instagram, tiktok] = [await mintAccount(tenant, "instagram"), await mintAccount(tenant, "tiktok")];
  url = await uploadedVideo(tenant.api);
});

const body = (more: object = {}) => ({
  caption: "draft",
  accounts: [{ id: instagram.id }, { id: tiktok.id }],
  media: { type: "video", url },
  ...more,
});
const prepare = async (more: object = {}) => (await tenant.api.post("/posts/prepare", body(more))).body.data;

test("201 a draft with the check of each account, and nothing for a publisher to find", async () => {
  const before = tenant.api.nudged.length;
  const answer = await tenant.api.post("/posts/prepare", body({ caption: "x".repeat(2201) }));
  expect(answer.status).toBe(201);
  const { data } = answer.body;
  expect(data).toMatchObject({
    status: "draft",
    accounts: { total: 2, states: [{ status: "draft", next_attempt_at: null }, {}] },
  });
  expect(data.checks).toEqual(
    [instagram, tiktok].map(({ id }) => ({
      account_id: id,
      ok: false,
      caption_length: 2201,
      caption_limit: 2200,
      caption_unit: expect.any(String),
      problems: [{ path: "caption", message: expect.stringContaining("2201"), code: "caption_too_long" }],
    })),
  );
  expect(tenant.api.nudged).toHaveLength(before);
  const due = await rows(sql`select 1 from post_deliveries where post_id = ${data.id} and next_attempt_at is not null`);
  expect(due).toEqual([]);
});

test("400 a commit of a draft with problems; repaired by PATCH it goes out", async () => {
  const { id } = await prepare({ caption: "x".repeat(2201) });
  const refused = await tenant.api.post(`/posts/${id}/commit`, {});
  expect([refused.status, refused.body.error_code]).toEqual([400, "validation_failed"]);
  const repaired = await tenant.api.patch(`/posts/${id}`, { caption: "short" });
  expect([repaired.status, repaired.body.data.status]).toEqual([200, "draft"]);
  const committed = await tenant.api.post(`/posts/${id}/commit`);
  expect([committed.status, committed.body.data.status]).toEqual([200, "pending"]);
  expect(tenant.api.nudged.at(-1)?.deliveryIds).toHaveLength(2);
});

test("200 commit with the plan's hash, 409 plan_changed that names what changed", async () => {
  const same = await prepare();
  expect((await tenant.api.post(`/posts/${same.id}/commit`, { plan_hash: same.plan_hash })).status).toBe(200);
  const { id, plan_hash } = await prepare();
  await tenant.api.patch(`/posts/${id}`, { caption: "other words", accounts: [{ id: instagram.id }] });
  const changed = await tenant.api.post(`/posts/${id}/commit`, { plan_hash });
  expect([changed.status, changed.body.error_code]).toEqual([409, "plan_changed"]);
  expect(changed.body.message).toMatch(/caption, accounts/);
  expect(changed.body.message).not.toMatch(/media/);
  const { plan_hash: present } = (await tenant.api.patch(`/posts/${id}`, { caption: "draft" })).body.data;
  for (const nonsense of ["abc", "", `${present}0`]) {
    const answer = await tenant.api.post(`/posts/${id}/commit`, { plan_hash: nonsense });
    expect([nonsense, answer.body.error_code]).toEqual([nonsense, "plan_changed"]);
  }
});

test("200 commit takes a time of its own, and keeps the draft's without one", async () => {
  const at = new Date(Date.now() + 7_200_000).toISOString();
  const own = await prepare({ scheduled_at: at });
  const kept = await tenant.api.post(`/posts/${own.id}/commit`, {});
  expect(kept.body.data).toMatchObject({ status: "scheduled", scheduled_at: at });
  const later = new Date(Date.now() + 9_000_000).toISOString();
  const moved = await prepare({ scheduled_at: at });
  const answer = await tenant.api.post(`/posts/${moved.id}/commit`, { scheduled_at: later });
  expect(answer.body.data).toMatchObject({ status: "scheduled", scheduled_at: later });
  const past = await prepare();
  const refused = await tenant.api.post(`/posts/${past.id}/commit`, { scheduled_at: "2020-01-01T00:00:00Z" });
  expect([refused.status, refused.body.error_code]).toEqual([400, "validation_failed"]);
});

test("409 or the new words when a draft is committed and changed at once, never the words that were changed", async () => {
  for (let round = 0; round < 5; round++) {
    const { id, plan_hash } = await prepare();
    const [committed, changed] = await Promise.all([
      tenant.api.post(`/posts/${id}/commit`, {
        plan_hash,
        scheduled_at: new Date(Date.now() + 7_200_000).toISOString(),
      }),
      tenant.api.patch(`/posts/${id}`, { caption: "changed" }),
    ]);
    const { caption } = (await tenant.api.get(`/posts/${id}`)).body.data;
    expect([changed.status, caption]).toEqual([200, "changed"]);
    expect([200, 409]).toContain(committed.status);
  }
});

test("201 checks and problems in the order in which the caller names the accounts", async () => {
  const accounts = [tiktok, instagram];
  const named = body({ caption: "x".repeat(2201), accounts: accounts.map(({ id }) => ({ id: id.toUpperCase() })) });
  const { data } = (await tenant.api.post("/posts/prepare", named)).body;
  const order = accounts.map(({ id }) => ({ account_id: id }));
  expect(data.checks).toMatchObject(order);
  const turned = await tenant.api.patch(`/posts/${data.id}`, { accounts: [{ id: instagram.id }, { id: tiktok.id }] });
  expect(turned.body.data.checks).toMatchObject(order.toReversed());
  expect((await tenant.api.post("/posts", named)).body.fields).toMatchObject(order);
});

test("409 post_not_draft for the second commit, also of 10 at once", async () => {
  const { id } = await prepare();
  const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.api.post(`/posts/${id}/commit`, {})));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
  expect(answers.find(({ status }) => status === 409)?.body.error_code).toBe("post_not_draft");
});

test("409 post_in_flight when a publisher has what another commit made of the draft", async () => {
  const { id } = await prepare();
  await rows(
    sql`update post_deliveries set lease_until = now() + interval '1 minute' where post_id = ${id} returning id`,
  );
  const answer = await tenant.api.post(`/posts/${id}/commit`, {});
  expect([answer.status, answer.body.error_code]).toEqual([409, "post_in_flight"]);
  expect((await tenant.api.get(`/posts/${id}`)).body.data.status).toBe("draft");
});

test("400 unknown_accounts: a draft needs accounts that exist; 404 for another workspace's draft", async () => {
  const unknown = await tenant.api.post("/posts/prepare", body({ accounts: [{ id: newId() }] }));
  expect([unknown.status, unknown.body.error_code]).toEqual([400, "unknown_accounts"]);
  const { id } = await prepare();
  const other = await mintTenant();
  expect((await other.api.post(`/posts/${id}/commit`, {})).status).toBe(404);
  expect((await other.api.patch(`/posts/${id}`, { caption: "mine now" })).status).toBe(404);
});

test("400 for a pin without a board on create and commit, 201 for its draft, which names the board later", async () => {
  const pinterest = await mintAccount(tenant, "pinterest");
  const pin = body({ accounts: [{ id: pinterest.id }] });
  const missing = { path: "pinterest.board_id", code: "board_id_missing", account_id: pinterest.id };
  const created = await tenant.api.post("/posts", pin);
  expect([created.status, created.body.error_code]).toEqual([400, "validation_failed"]);
  expect(created.body.fields).toMatchObject([
    { ...missing, message: expect.stringMatching(/board_id required to publish/) },
  ]);
  const { status, body: prepared } = await tenant.api.post("/posts/prepare", pin);
  expect([status, prepared.data.checks[0].ok, prepared.data.warnings]).toEqual([201, false, []]);
  expect(prepared.data.checks[0].problems).toMatchObject([{ path: "pinterest.board_id", code: "board_id_missing" }]);
  const refused = await tenant.api.post(`/posts/${prepared.data.id}/commit`, {});
  expect([refused.status, refused.body.fields]).toMatchObject([400, [missing]]);
  await tenant.api.patch(`/posts/${prepared.data.id}`, { pinterest: { board_id: "42" } });
  expect((await tenant.api.post(`/posts/${prepared.data.id}/commit`, {})).status).toBe(200);
});
