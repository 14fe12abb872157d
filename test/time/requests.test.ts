// Instants with a zone, wherever a request has an instant.
import { expect, test } from "vitest";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { startClock } from "../support/stop-clock.ts";

startClock();
const tenant = await createTestTenant();
const bluesky = await createTestAccount(tenant, "bluesky");
const { api } = tenant;
const body = (scheduled_at: string) => ({ caption: "Time", accounts: [{ id: bluesky.id }], scheduled_at });
const ZONED = "2027-12-24T09:30:00+01:00[Europe/Berlin]";
const INSTANT = "2027-12-24T08:30:00.000Z";

test("201 and 200 for RFC 9557 in create, prepare, update and commit", async () => {
  const created = await api.post("/posts", body(ZONED));
  expect([created.status, created.body.data.scheduled_at]).toEqual([201, INSTANT]);
  const moved = await api.patch(`/posts/${created.body.data.id}`, { scheduled_at: "2027-12-24T09:30Z[Europe/Berlin]" });
  expect(moved.body.data.scheduled_at).toBe("2027-12-24T09:30:00.000Z");
  const draft = await api.post("/posts/prepare", body("2027-12-24T09:30:00+01:00[!Europe/Berlin]"));
  expect(draft.body.data.scheduled_at).toBe(INSTANT);
  const path = `/posts/${draft.body.data.id}/commit`;
  const committed = await api.post(path, { scheduled_at: ZONED }, { "Idempotency-Key": "commit-zoned" });
  expect([committed.status, committed.body.data.scheduled_at]).toEqual([200, INSTANT]);
});

test.each([
  ["2027-12-24T09:30:00+01:00[America/New_York]", "2027-12-24T09:30:00-05:00[America/New_York]"],
  ["2027-12-24T09:30:00+01:00[Europe/Berlin][u-ca=hebrew]", "2027-12-24T09:30:00+01:00"],
  ["2027-12-24T24:00:00Z", "2027-12-25T00:00:00Z"],
  ["2027-12-24T23:59:60+05:30", "2027-12-24T23:59:59+05:30"],
  ["2027-02-30T10:00:00Z", "2030-01-15T18:00:00Z"],
  ["2027-12-24T09:30:00[Europe/Berlin]", "2027-12-24T09:30:00+01:00[Europe/Berlin]"],
  ["2027-12-24T09:30:00", "2027-12-24T09:30:00Z"],
])("422 for %s, and the message names %s", async (sent, offered) => {
  for (const path of ["/posts", "/posts/prepare"]) {
    const { status, body: refused } = await api.post(path, body(sent));
    expect([status, refused.fields[0].path, refused.fields[0].code]).toEqual([422, "scheduled_at", "invalid_instant"]);
    expect(refused.fields[0].message).toContain(offered);
  }
  expect((await api.post("/posts", body(offered))).body.fields?.[0]?.path).not.toBe("scheduled_at");
});

test("bounds of lists take a zone, with a plus that was not escaped too", async () => {
  const zoned = encodeURIComponent(ZONED);
  for (const path of [`/posts?since=${zoned}`, `/posts?until=2027-12-24T09:30:00+01:00[Europe/Berlin]`]) {
    expect((await api.get(path)).status).toBe(200);
  }
  expect((await api.get(`/templates?created_since=${zoned}`)).status).toBe(200);
  expect((await api.get(`/analytics/summary?start=${zoned}&end=${zoned}`)).status).toBe(200);
  const refused = await api.get("/posts?since=2027-02-30T00:00:00Z");
  expect([refused.status, refused.body.error_code]).toEqual([400, "invalid_since"]);
  expect(JSON.stringify(refused.body)).toContain("2030-01-15T18:00:00Z");
});
