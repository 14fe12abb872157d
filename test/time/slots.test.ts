// Slots of accounts and the posts that take them.
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { at } from "../../lib/shared/at.ts";
import { listSlotTimes } from "../../lib/shared/slots.ts";
import { createTestAccount, createTestTenant, type Tenant } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { startClock } from "../support/stop-clock.ts";
import { CLOCK_CHANGES } from "./clock-changes.ts";

startClock();
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const daily = (...times: string[]) => EVERY_DAY.flatMap((weekday) => times.map((time) => ({ weekday, time })));

async function createWithSlots(tenant: Tenant, slots: object[], time_zone = "UTC"): Promise<string> {
  const { id } = await createTestAccount(tenant, "bluesky");
  const saved = await tenant.api.call("PUT", `/accounts/${id}/slots`, { body: { time_zone, slots } });
  expect(saved.status).toBe(200);
  return id;
}

const post = (...ids: string[]) => ({
  ...{ caption: "Slot", accounts: ids.map((id) => ({ id })), scheduled_at: "next_slot" as unknown },
});

/** The slots of every day from now. */
function listDaily(count: number, hour: number): string[] {
  const first = new Date();
  if (first.getTime() + 30_000 >= new Date(first).setUTCHours(hour, 0, 0, 0)) first.setUTCDate(first.getUTCDate() + 1);
  first.setUTCHours(hour, 0, 0, 0);
  return Array.from({ length: count }, (_, at) => new Date(first.getTime() + at * 86_400_000).toISOString());
}

test("200 for slots as they were saved, in the order of the week; an empty list at first", async () => {
  const tenant = await createTestTenant();
  await tenant.api.patch("/workspace", { time_zone: "Europe/Berlin" });
  const { id } = await createTestAccount(tenant, "bluesky");
  const path = `/accounts/${id}/slots`;
  expect((await tenant.api.get(path)).body.data).toEqual({ account_id: id, time_zone: "Europe/Berlin", slots: [] });
  const given = [
    { weekday: 7, time: "08:15" },
    { weekday: 1, time: "18:00" },
    { weekday: 1, time: "09:00" },
  ];
  const saved = { account_id: id, time_zone: "Asia/Tokyo", slots: [given[2], given[1], given[0]] };
  const body = { time_zone: "asia/tokyo", slots: given };
  expect((await tenant.api.call("PUT", path, { body })).body.data).toEqual(saved);
  expect((await tenant.api.get(path)).body.data).toEqual(saved);
});

test.each([
  [{ slots: daily("09:00", "09:00") }, "slots"],
  [{ slots: [{ weekday: 0, time: "09:00" }] }, "slots"],
  [{ slots: [{ weekday: 1, time: "24:00" }] }, "slots"],
  [{ slots: [{ weekday: 1, time: "9:00" }] }, "slots"],
  [
    { slots: Array.from({ length: 51 }, (_, at) => ({ weekday: 1, time: `10:${at + 1 < 10 ? "0" : ""}${at + 1}` })) },
    "slots",
  ],
  [{ slots: [], time_zone: "+01:00" }, "time_zone"],
  [{ slots: [], zone: "UTC" }, "zone"],
])("422 for %j", async (change, field) => {
  const tenant = await createTestTenant();
  const { id } = await createTestAccount(tenant, "bluesky");
  const body = { time_zone: "UTC", ...change };
  const refused = await tenant.api.call("PUT", `/accounts/${id}/slots`, { body });
  expect([refused.status, Object.keys(refused.body.issues.fieldErrors)]).toEqual([422, [field]]);
});

test("404 for the account of another workspace", async () => {
  const [tenant, other] = [await createTestTenant(), await createTestTenant()];
  const { id } = await createTestAccount(other, "bluesky");
  const body = { time_zone: "UTC", slots: [] };
  expect((await tenant.api.get(`/accounts/${id}/slots`)).status).toBe(404);
  expect((await tenant.api.call("PUT", `/accounts/${id}/slots`, { body })).status).toBe(404);
});

test("201 with the earliest free slot, whatever holds the others", async () => {
  const tenant = await createTestTenant();
  const id = await createWithSlots(tenant, daily("12:00"));
  const [first, second, third, fourth] = listDaily(4, 12);
  await tenant.api.post("/posts", { ...post(id), scheduled_at: second });
  const one = (await tenant.api.post("/posts", post(id))).body.data;
  expect([one.status, one.scheduled_at, one.schedule]).toEqual(["scheduled", first, "next_slot"]);
  expect(one.accounts.states[0].next_attempt_at).toBe(first);
  const two = (await tenant.api.post("/posts", post(id))).body.data;
  expect(two.scheduled_at).toBe(third);
  await tenant.api.post("/posts/delete", { post_ids: [one.id] });
  expect((await tenant.api.post("/posts", post(id))).body.data.scheduled_at).toBe(first);
  const moved = await tenant.api.patch(`/posts/${two.id}`, { scheduled_at: "next_slot" });
  expect(moved.body.data.scheduled_at).toBe(third);
  await tenant.api.patch(`/posts/${two.id}`, { draft: true });
  expect((await tenant.api.post("/posts", post(id))).body.data.scheduled_at).toBe(third);
  const fixed = (await tenant.api.post("/posts", { ...post(id), scheduled_at: fourth })).body.data;
  const again = (await tenant.api.patch(`/posts/${fixed.id}`, { scheduled_at: "next_slot", caption: "Same" })).body
    .data;
  expect([again.scheduled_at, again.schedule, again.caption]).toEqual([fourth, "next_slot", "Same"]);
});

test("a draft takes its slot at the commit, also one that is given then", async () => {
  const tenant = await createTestTenant();
  const id = await createWithSlots(tenant, daily("12:00"));
  const [first, second] = listDaily(2, 12);
  const draft = (await tenant.api.post("/posts/prepare", post(id))).body.data;
  expect([draft.status, draft.scheduled_at, draft.schedule]).toEqual(["draft", null, "next_slot"]);
  expect((await tenant.api.post("/posts", post(id))).body.data.scheduled_at).toBe(first);
  const committed = (await tenant.api.post(`/posts/${draft.id}/commit`, { plan_hash: draft.plan_hash })).body.data;
  expect([committed.status, committed.scheduled_at, committed.schedule]).toEqual(["scheduled", second, "next_slot"]);
  expect(committed.accounts.states[0].next_attempt_at).toBe(second);
  const plain = (await tenant.api.post("/posts/prepare", { ...post(id), scheduled_at: undefined })).body.data;
  const late = await tenant.api.post(`/posts/${plain.id}/commit`, { scheduled_at: "next_slot" });
  expect(late.body.data.scheduled_at).toBe(listDaily(3, 12)[2]);
});

test("a scheduled post that becomes a draft gives its slot back, and takes one again at the commit", async () => {
  const tenant = await createTestTenant();
  const id = await createWithSlots(tenant, daily("12:00"));
  const [first, second] = listDaily(2, 12);
  const paused = (await tenant.api.post("/posts", post(id))).body.data;
  expect(paused.scheduled_at).toBe(first);
  const draft = (await tenant.api.patch(`/posts/${paused.id}`, { draft: true })).body.data;
  expect([draft.status, draft.scheduled_at, draft.schedule]).toEqual(["draft", null, "next_slot"]);
  expect((await tenant.api.post("/posts", post(id))).body.data.scheduled_at).toBe(first);
  const committed = (await tenant.api.post(`/posts/${draft.id}/commit`, { plan_hash: draft.plan_hash })).body.data;
  expect([committed.scheduled_at, committed.accounts.states[0].next_attempt_at]).toEqual([second, second]);
});

test("a post that gets another account keeps a slot that is free for that one, and takes the next one otherwise", async () => {
  const tenant = await createTestTenant();
  const [one, two, none] = [
    await createWithSlots(tenant, daily("12:00")),
    await createWithSlots(tenant, daily("12:00")),
    (await createTestAccount(tenant, "bluesky")).id,
  ];
  const [first, second, third] = listDaily(3, 12);
  await tenant.api.post("/posts", { ...post(two), scheduled_at: second });
  const posts = [
    (await tenant.api.post("/posts", post(one))).body.data,
    (await tenant.api.post("/posts", post(one))).body.data,
  ];
  expect(posts.map(({ scheduled_at }) => scheduled_at)).toEqual([first, second]);
  const add = async (at: number, ...ids: string[]) =>
    (await tenant.api.patch(`/posts/${posts[at].id}`, { accounts: post(one, ...ids).accounts })).body;
  expect((await add(0, two)).data.scheduled_at).toBe(first);
  const moved = (await add(1, two)).data;
  expect([moved.status, moved.scheduled_at, moved.schedule]).toEqual(["scheduled", third, "next_slot"]);
  expect(moved.accounts.states.map((state: { next_attempt_at: string }) => state.next_attempt_at)).toEqual([
    third,
    third,
  ]);
  expect((await add(0, none)).data.scheduled_at).toBe(first);
  await tenant.api.post("/posts", { ...post(none), scheduled_at: third });
  expect((await add(1, none)).error_code).toBe("no_slots");
});

test("several accounts take the earliest slot that all have and that is free for all", async () => {
  const tenant = await createTestTenant();
  const [one, two] = [
    await createWithSlots(tenant, daily("09:00", "12:00")),
    await createWithSlots(tenant, daily("13:00", "15:00"), "Etc/GMT-1"),
  ];
  const [first, second] = listDaily(2, 12);
  await tenant.api.post("/posts", { ...post(two), scheduled_at: first });
  const both = (await tenant.api.post("/posts", post(one, two))).body.data;
  expect(both.scheduled_at).toBe(second);
});

test("422 no_slots without slots, without common ones, and when all are held; a draft says it in its checks", async () => {
  const tenant = await createTestTenant();
  const none = (await createTestAccount(tenant, "bluesky")).id;
  const [one, two] = [await createWithSlots(tenant, daily("12:00")), await createWithSlots(tenant, daily("13:00"))];
  for (const ids of [[none], [one, none], [one, two]]) {
    const refused = await tenant.api.post("/posts", post(...ids));
    expect([refused.status, refused.body.error_code, refused.body.fields[0].path]).toEqual([
      ...[422, "no_slots", "scheduled_at"],
    ]);
    const draft = (await tenant.api.post("/posts/prepare", post(...ids))).body.data;
    expect(draft.checks[0].problems.map(({ code }: { code: string }) => code)).toEqual(["no_slots"]);
    expect((await tenant.api.post(`/posts/${draft.id}/commit`, {})).body.error_code).toBe("no_slots");
    const scheduled = (await tenant.api.post("/posts", { ...post(...ids), scheduled_at: at(listDaily(2, 12), 0) })).body
      .data;
    const patched = await tenant.api.patch(`/posts/${scheduled.id}`, { scheduled_at: "next_slot" });
    expect([patched.status, patched.body.error_code]).toEqual([422, "no_slots"]);
  }
});

/** A busy database may not answer in time: then the client repeats the request with its key, as it should. */
async function sendOnce(tenant: Tenant, path: string, body: unknown) {
  const headers = { "Idempotency-Key": newId() };
  for (;;) {
    const answer = await tenant.api.post(path, body, headers);
    if (![409, 503].includes(answer.status)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test("50 parallel requests take 50 slots, the earliest ones, and none twice", async () => {
  const tenant = await createTestTenant();
  const id = await createWithSlots(tenant, daily("12:00"));
  const drafts = await Promise.all(Array.from({ length: 10 }, () => sendOnce(tenant, "/posts/prepare", post(id))));
  const commits = drafts.map(({ body }) => sendOnce(tenant, `/posts/${body.data.id}/commit`, {}));
  const creates = Array.from({ length: 40 }, () => sendOnce(tenant, "/posts", post(id)));
  const answers = await Promise.all([...commits, ...creates]);
  expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), ...Array(40).fill(201)]);
  expect(answers.map(({ body }) => body.data.scheduled_at).sort()).toEqual(listDaily(50, 12));
}, 120_000);

test("parallel posts of several accounts in any order all end, and hold each slot once", async () => {
  const tenant = await createTestTenant();
  const ids = await Promise.all([1, 2, 3].map(() => createWithSlots(tenant, daily("12:00"))));
  const orders = [
    [0, 1],
    [1, 0],
    [2, 1],
    [0, 2],
    [1, 2],
    [2, 0],
  ].map((order) => order.map((at) => ids[at] ?? ""));
  const answers = await Promise.all([...orders, ...orders].map((order) => tenant.api.post("/posts", post(...order))));
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201));
  for (const id of ids) {
    const times = answers.flatMap(({ body }) =>
      body.data.accounts.states.some((state: { account_id: string }) => state.account_id === id)
        ? [body.data.scheduled_at]
        : [],
    );
    expect(new Set(times).size).toBe(times.length);
  }
});

test("the same request again has the same slot", async () => {
  const tenant = await createTestTenant();
  const id = await createWithSlots(tenant, daily("12:00"));
  const headers = { "Idempotency-Key": newId() };
  const first = await tenant.api.post("/posts", post(id), headers);
  expect((await tenant.api.post("/posts", post(id), headers)).body).toEqual(first.body);
  const named = { ...post(id), external_id: "slot-1" };
  const stored = await tenant.api.post("/posts", named);
  const found = await tenant.api.post("/posts", named);
  expect([found.status, found.body.data.scheduled_at]).toEqual([200, stored.body.data.scheduled_at]);
});

test("a slot takes 2 round trips, with an idempotency key 3, also at the commit", async () => {
  const tenant = await createTestTenant();
  const id = await createWithSlots(tenant, daily("12:00"));
  const measure = async (path: string, body: unknown, key?: string) => {
    const requestId = newId();
    const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
    const { result, cost } = await measureCost(requestId, () => tenant.api.post(path, body, headers));
    expect([200, 201]).toContain(result.status);
    return cost.round_trips;
  };
  expect(await measure("/posts", post(id))).toBe(2);
  expect(await measure("/posts", post(id), newId())).toBe(3);
  const draft = (await tenant.api.post("/posts/prepare", post(id))).body.data;
  expect(await measure(`/posts/${draft.id}/commit`, {}, newId())).toBe(3);
});

test.each(CLOCK_CHANGES.filter(([, , rule]) => rule !== "earlier" && rule !== "second"))(
  "in %s the slot at %s, %s, is %s",
  (timeZone, local, _, instant) => {
    const weekday = new Date(`${local.slice(0, 10)}T00:00Z`).getUTCDay() || 7;
    const slots = [{ weekday, time: local.slice(11) }];
    const at = new Date(instant);
    const times = listSlotTimes(
      { timeZone, slots },
      new Date(at.getTime() - WEEK_MS),
      new Date(at.getTime() + WEEK_MS),
    );
    expect(times).toContainEqual(at);
  },
);

test("a post takes the slot that the clock skips, as much later as it skips", async () => {
  const tenant = await createTestTenant();
  const [zone, local, , instant] = at(CLOCK_CHANGES, 0);
  const id = await createWithSlots(tenant, [{ weekday: 7, time: local.slice(11) }], zone);
  const taken: string[] = [];
  while ((taken.at(-1) ?? "") < instant && taken.length < 60) {
    const { status, body } = await tenant.api.post("/posts", post(id));
    expect(status).toBe(201);
    taken.push(body.data.scheduled_at);
  }
  expect(taken.at(-1)).toBe(instant);
}, 60_000);
