// Times by a clock in every request that takes the time of a post, and the time zone of the workspace.
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { startClock } from "../support/stop-clock.ts";
import { CLOCK_CHANGES, toRules } from "./clock-changes.ts";

startClock();
const tenant = await createTestTenant();
const account = await createTestAccount(tenant, "bluesky");
const { api } = tenant;
const body = (scheduled_at: unknown) => ({ caption: "Clock", accounts: [{ id: account.id }], scheduled_at });
const read = async (id: string) => (await api.get(`/posts/${id}`)).body.data;

test.each(CLOCK_CHANGES)("in %s at %s, %s, a post is due at %s", async (time_zone, local, rule, instant) => {
  const given = { local, time_zone, ...toRules(rule) };
  const { status, body: created } = await api.post("/posts", body(given));
  expect([status, created.data.scheduled_at, created.data.schedule]).toEqual([201, instant, given]);
});

test.each(CLOCK_CHANGES.filter(([, , rule]) => rule === "later" || rule === "first"))(
  "400 in %s at %s where %s is refused, and the message has both instants",
  async (time_zone, local, rule) => {
    const code = rule === "later" ? "time_gap" : "time_overlap";
    const refuse = rule === "later" ? { on_gap: "refuse" } : { on_overlap: "refuse" };
    for (const path of ["/posts", "/posts/prepare"]) {
      const { status, body: refused } = await api.post(path, body({ local, time_zone, ...refuse }));
      expect([status, refused.error_code, refused.fields[0].path, refused.fields[0].code]).toEqual([
        ...[400, "validation_failed", "scheduled_at", code],
      ]);
      const offered = [...refused.message.matchAll(/\((\d{4}[^)]*)\)/g)].map(([, text]) => text);
      expect(offered).toHaveLength(2);
      for (const text of offered) expect((await api.post("/posts/prepare", body(text))).status).toBe(201);
    }
  },
);

test("201 and 200 in prepare, update and commit; an instant ends the time by the clock", async () => {
  const given = { local: "2027-12-24T09:30", time_zone: "Europe/Berlin" };
  const draft = (await api.post("/posts/prepare", body(given))).body.data;
  expect([draft.scheduled_at, draft.schedule]).toEqual(["2027-12-24T08:30:00.000Z", given]);
  const changed = { local: "2027-12-24T10:30:15", time_zone: "europe/berlin" };
  const moved = (await api.patch(`/posts/${draft.id}`, { scheduled_at: changed })).body.data;
  expect([moved.scheduled_at, moved.schedule]).toEqual(["2027-12-24T09:30:15.000Z", changed]);
  const stale = await api.post(`/posts/${draft.id}/commit`, { plan_hash: draft.plan_hash });
  expect([stale.status, stale.body.message]).toEqual([409, expect.stringContaining("scheduled_at")]);
  const committed = (await api.post(`/posts/${draft.id}/commit`, { plan_hash: moved.plan_hash })).body.data;
  expect([committed.status, committed.scheduled_at, committed.schedule]).toEqual([
    ...["scheduled", "2027-12-24T09:30:15.000Z", changed],
  ]);
  const captioned = (await api.patch(`/posts/${draft.id}`, { caption: "Other" })).body.data;
  expect([captioned.scheduled_at, captioned.schedule]).toEqual(["2027-12-24T09:30:15.000Z", changed]);
  const fixed = (await api.patch(`/posts/${draft.id}`, { scheduled_at: "2027-12-25T00:00Z" })).body.data;
  expect([fixed.scheduled_at, fixed.schedule]).toEqual(["2027-12-25T00:00:00.000Z", null]);
  const listed = (await api.get("/posts")).body.data.posts.find(({ id }: { id: string }) => id === draft.id);
  expect(listed.schedule).toBeNull();
});

test("an external id finds the post of the same time by the clock, and no other", async () => {
  const given = { ...body({ local: "2027-12-24T09:30", time_zone: "Asia/Tokyo" }), external_id: "clock-1" };
  const first = await api.post("/posts", given);
  const again = await api.post("/posts", given);
  expect([again.status, again.body.data.id]).toEqual([200, first.body.data.id]);
  const other = { ...given, scheduled_at: first.body.data.scheduled_at };
  expect((await api.post("/posts", other)).status).toBe(409);
});

test.each([
  [{ local: "2027-02-30T10:00" }, "scheduled_at.local", "invalid_local_time", "2030-01-15T18:00"],
  [{ local: "2027-02-20T24:00" }, "scheduled_at.local", "invalid_local_time", "2027-02-21T00:00"],
  [{ local: "2027-02-20T10:00:60" }, "scheduled_at.local", "invalid_local_time", "2027-02-20T10:00:59"],
  [{ local: "2027-02-20T10:61" }, "scheduled_at.local", "invalid_local_time", "2027-02-20T18:00"],
  [{ local: "2027-02-20T10:00Z" }, "scheduled_at.local", "invalid_local_time", "as scheduled_at itself"],
  [{ local: "2027-02-20T10:00+01:00[Europe/Berlin]" }, "scheduled_at.local", "invalid_local_time", "scheduled_at"],
  [{ local: "2027-02-20" }, "scheduled_at.local", "invalid_local_time", "2030-01-15T18:00"],
  [{ local: "9999-02-20T10:00" }, "scheduled_at.local", "invalid_local_time", "9000"],
  [{ local: 5 }, "scheduled_at.local", "invalid_type", "string"],
  [{}, "scheduled_at.local", "invalid_type", "Required"],
  [{ local: "2027-02-20T10:00", time_zone: "Mars/Phobos" }, "scheduled_at.time_zone", "invalid_time_zone", "Europe/Be"],
  [{ local: "2027-02-20T10:00", time_zone: "+02:00" }, "scheduled_at.time_zone", "invalid_time_zone", "Europe/Berlin"],
  [{ local: "2027-02-20T10:00", on_gap: "first" }, "scheduled_at.on_gap", "invalid_value", "earlier"],
  [{ local: "2027-02-20T10:00", zone: "UTC" }, "scheduled_at.zone", "unknown_field", "Unknown field"],
  [5, "scheduled_at", "invalid_type", "2030-01-15T18:00:00Z"],
  ["2027-02-20T10:00", "scheduled_at", "invalid_instant", "2027-02-20T10:00:00Z"],
])("422 for %j", async (given, path, code, offered) => {
  const refused = await api.post("/posts", body(given));
  expect([refused.status, refused.body.fields[0].path, refused.body.fields[0].code]).toEqual([422, path, code]);
  expect(refused.body.fields[0].message).toContain(offered);
});

test("400 for a time by the clock that has passed", async () => {
  const refused = await api.post("/posts", body({ local: "2020-01-01T00:00", time_zone: "UTC" }));
  expect([refused.status, refused.body.fields[0].code]).toEqual([400, "in_the_past"]);
});

test("a time without a zone is in that of the workspace, and stays when that changes", async () => {
  const own = await createTestTenant();
  const id = (await createTestAccount(own, "bluesky")).id;
  const post = { ...body({ local: "2027-07-01T09:00" }), accounts: [{ id }] };
  expect((await own.api.get("/workspace")).body.data).toEqual({
    ...{ id: own.workspaceId, name: "Test", time_zone: "UTC" },
  });
  const inUtc = (await own.api.post("/posts", post)).body.data;
  expect([inUtc.scheduled_at, inUtc.schedule]).toEqual(["2027-07-01T09:00:00.000Z", { local: "2027-07-01T09:00" }]);
  const changed = await own.api.patch("/workspace", { time_zone: "asia/kolkata" });
  expect([changed.status, changed.body.data.time_zone]).toEqual([200, "Asia/Kolkata"]);
  const inIndia = (await own.api.post("/posts", post)).body.data;
  expect(inIndia.scheduled_at).toBe("2027-07-01T03:30:00.000Z");
  expect((await own.api.get(`/posts/${inUtc.id}`)).body.data.scheduled_at).toBe("2027-07-01T09:00:00.000Z");
  const draft = (await own.api.post("/posts/prepare", post)).body.data;
  await own.api.patch("/workspace", { time_zone: "UTC" });
  expect((await own.api.post(`/posts/${draft.id}/commit`, {})).body.data.scheduled_at).toBe("2027-07-01T03:30:00.000Z");
});

test("a personal key has a time zone without a workspace", async () => {
  const own = await createTestTenant({ personal: true });
  const id = (await createTestAccount(own, "bluesky")).id;
  expect((await own.api.get("/workspace")).body.data).toEqual({ id: null, name: null, time_zone: "UTC" });
  await own.api.patch("/workspace", { time_zone: "America/St_Johns" });
  const post = { ...body({ local: "2027-07-01T09:00" }), accounts: [{ id }] };
  expect((await own.api.post("/posts", post)).body.data.scheduled_at).toBe("2027-07-01T11:30:00.000Z");
});

test.each(["Mars/Phobos", "+02:00", "", 5, null])("422 for the time zone %j", async (time_zone) => {
  const refused = await api.patch("/workspace", { time_zone });
  expect([refused.status, Object.keys(refused.body.issues.fieldErrors)]).toEqual([422, ["time_zone"]]);
});

test("403 without workspace:write", async () => {
  const own = await createTestTenant({ permissions: ["workspace:read"] });
  expect((await own.api.get("/workspace")).status).toBe(200);
  const refused = await own.api.patch("/workspace", { time_zone: "UTC" });
  expect([refused.status, refused.body.error_code]).toEqual([403, "missing_permission"]);
});

test("a time by the clock takes no more round trips than an instant", async () => {
  const post = () => body({ local: "2027-12-24T09:30" });
  await api.post("/posts", post());
  const headers = { "X-Request-Id": "clock-write" };
  const { cost } = await measureCost("clock-write", () => api.post("/posts", post(), headers));
  expect(cost.round_trips).toBe(2);
  expect(await read((await api.post("/posts", post())).body.data.id)).toMatchObject({ schedule: post().scheduled_at });
});
