// Rules of a zone change: posts by its clock move, and nothing else does.
import { expect, test } from "vitest";
import { moveClockPosts } from "../../lib/publishing/move-clock-posts.ts";
import { setZoneRules } from "../../lib/shared/zone-rules.ts";
import { createTestAccount, createTestTenant, openTestDatabase } from "../support/harness.ts";
import { startClock } from "../support/stop-clock.ts";

startClock();
const NOW = new Date();
/** Zones that no other part of this file reads before the change: packages remember what they computed. */
const [LIMA, BOGOTA] = ["America/Lima", "America/Bogota"];

const run = () => moveClockPosts({ db: openTestDatabase(), clock: () => NOW, log: () => undefined, sandbox: null }, 40);

test("posts by the clock move when cron runs, with their events; instants, slots and drafts stay", async () => {
  const tenant = await createTestTenant();
  const { id } = await createTestAccount(tenant, "instagram");
  const { api } = tenant;
  const create = async (scheduled_at: unknown, path = "/posts") => {
    const media = { type: "slideshow", urls: ["https://example.com/a.jpg", "https://example.com/b.jpg"] };
    const body = { caption: "Rules", accounts: [{ id }], scheduled_at };
    const created = await api.post(path, path.endsWith("prepare") ? { ...body, media } : body);
    return created.body.data;
  };
  const bluesky = await createTestAccount(tenant, "bluesky");
  const text = async (scheduled_at: unknown, path = "/posts") =>
    (await api.post(path, { caption: "Rules", accounts: [{ id: bluesky.id }], scheduled_at })).body.data;
  await api.call("PUT", `/accounts/${bluesky.id}/slots`, {
    body: { time_zone: "Etc/UTC", slots: [{ weekday: 3, time: "04:00" }] },
  });
  // Peru is five hours behind UTC; a draft is not computed before its commit.
  const draft = await create({ local: "2028-06-01T08:00", time_zone: BOGOTA }, "/posts/prepare");
  expect(draft.scheduled_at).toBe("2028-06-01T13:00:00.000Z");
  const instant = await text("2028-06-01T12:00:00-05:00");
  const slot = await text("next_slot");
  // What the clock said under the former rules, as a post that was stored then has it.
  const moved = await text({ local: "2028-06-01T08:00", time_zone: "Etc/GMT+5" });
  expect(moved.scheduled_at).toBe("2028-06-01T13:00:00.000Z");
  const { sql } = await import("drizzle-orm");
  await openTestDatabase().execute(sql`update posts set schedule_zone = ${LIMA},
    schedule = ${JSON.stringify({ local: "2028-06-01T08:00", time_zone: LIMA })}::jsonb where id = ${moved.id}`);

  setZoneRules(`${LIMA} 2027-01-01T05:00:00Z -04:00`);
  await run();
  const read = async (post: { id: string }) => (await api.get(`/posts/${post.id}`)).body.data;
  const after = await read(moved);
  expect([after.scheduled_at, after.status, after.schedule.local]).toEqual([
    ...["2028-06-01T12:00:00.000Z", "scheduled", "2028-06-01T08:00"],
  ]);
  expect(after.accounts.states[0].next_attempt_at).toBe("2028-06-01T12:00:00.000Z");
  for (const post of [draft, instant, slot]) expect((await read(post)).scheduled_at).toBe(post.scheduled_at);
  const events = (await api.get("/events?types=post.scheduled")).body.data.events;
  const times = events.flatMap(({ data }: { data: { object: { id: string; scheduled_at: string } } }) =>
    data.object.id === moved.id ? [data.object.scheduled_at] : [],
  );
  expect(times).toEqual(["2028-06-01T13:00:00.000Z", "2028-06-01T12:00:00.000Z"]);
  // A second run finds nothing to do.
  await run();
  expect((await read(moved)).updated_at).toBe(after.updated_at);
  // New posts follow the new rules, and so does what people read.
  const added = await text({ local: "2028-06-02T08:00", time_zone: LIMA });
  expect(added.scheduled_at).toBe("2028-06-02T12:00:00.000Z");
  const clock = new Intl.DateTimeFormat("en-GB", { timeZone: LIMA, hour: "2-digit", minute: "2-digit" });
  expect(clock.format(new Date("2028-06-02T12:00:00Z"))).toBe("08:00");
  expect(clock.format(new Date("2026-06-02T12:00:00Z"))).toBe("07:00");
  setZoneRules("");
});
