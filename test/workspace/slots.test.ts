// The settings of the workspace, the slots of an account, free slots in the calendar, and changes of the clock on all pages.
import { expect, test } from "vitest";
import type { Slot } from "../../lib/shared/slots.ts";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { startClock } from "../support/stop-clock.ts";
import { CLOCK_CHANGES } from "../time/clock-changes.ts";
import { signInMember, signInOwner } from "./dashboard.ts";

startClock();
const tenant = await createTestTenant();
const account = await createTestAccount(tenant, "bluesky");
const browser = await signInOwner(tenant);
const base = `/dashboard/${tenant.workspaceId}`;
const path = `${base}/accounts/${account.id}/slots`;
const DAYS = ["day1", "day2", "day3", "day4", "day5", "day6", "day7"];
const everyDay = (times: string) => Object.fromEntries(DAYS.map((day) => [day, times]));
const readSlots = async () => (await tenant.api.get(`/accounts/${account.id}/slots`)).body.data;

test("303 saves the time zone, and every page is in it at once", async () => {
  const page = await browser.visit(`${base}/settings`);
  expect(page.text).toMatch(/<option value="UTC" selected/);
  expect((await browser.visit(`${base}/settings`, { form: { time_zone: "Asia/Tokyo" } })).status).toBe(303);
  for (const name of ["calendar", "compose", "queue"]) {
    expect((await browser.visit(`${base}/${name}`)).text).toContain("Asia/Tokyo");
  }
  const { text } = await browser.visit(`${base}/settings`);
  for (const zone of ["Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv", "America/Nuuk", "UTC"]) {
    expect(text.match(new RegExp(`<option value="${zone}"`, "g"))).toHaveLength(1);
    expect((await browser.visit(`${base}/settings`, { form: { time_zone: zone } })).status).toBe(303);
    expect((await tenant.api.get("/workspace")).body.data.time_zone).toBe(zone);
  }
  await browser.visit(`${base}/settings`, { form: { time_zone: "Asia/Tokyo" } });
  const refused = await browser.visit(`${base}/settings`, { form: { time_zone: "+09:00" } });
  expect(refused.status).toBe(303);
  expect((await browser.visit(`${base}/settings`)).text).toContain("IANA name of a time zone");
  expect((await tenant.api.get("/workspace")).body.data.time_zone).toBe("Asia/Tokyo");
  await tenant.api.patch("/workspace", { time_zone: "UTC" });
});

test("303 saves the slots of an account as people type them, and says what is wrong", async () => {
  expect((await browser.visit(`${base}/accounts`)).text).toContain(path);
  const form = { time_zone: "Europe/Berlin", day1: "9:00, 18:30", day7: "08:15" };
  expect((await browser.visit(path, { form })).status).toBe(303);
  expect(await readSlots()).toMatchObject({
    time_zone: "Europe/Berlin",
    slots: [
      { weekday: 1, time: "09:00" },
      { weekday: 1, time: "18:30" },
      { weekday: 7, time: "08:15" },
    ],
  });
  expect((await browser.visit(path)).text).toContain('value="09:00, 18:30"');
  for (const [wrong, problem] of [
    [{ day2: "25:00" }, "Tuesday: “25:00” is no time. Enter times from 00:00 to 23:59, such as 09:00"],
    [{ day7: "09:00, nine" }, "Sunday: “nine” is no time."],
    [{ time_zone: "+02:00" }, "Times are in: choose one of the time zones of the list."],
    [{ day3: Array.from({ length: 51 }, (_, at) => `12:${10 + at}`).join(" "), day4: "" }, "Wednesday: “12:60”"],
    [
      Object.fromEntries([1, 2, 3, 4, 5, 6].map((day) => [`day${day}`, "1 2 3 4 5 6 7 8 9"])),
      "at most 50 slots a week",
    ],
  ] as const) {
    const rejected = await browser.visit(path, { form: { ...form, ...wrong } });
    expect(rejected.status).toBe(422);
    expect(rejected.text).toContain(problem);
    for (const typed of Object.values(wrong))
      if (typed !== "+02:00") expect(rejected.text).toContain(`value="${typed}"`);
  }
  expect((await readSlots()).slots).toHaveLength(3);
  await browser.visit(path, { form: { ...form, day1: "7.30; 18:30 9 09:00", day7: "７：４５" } });
  const times = (await readSlots()).slots.map(({ weekday, time }: Slot) => `${weekday} ${time}`);
  expect(times).toEqual(["1 07:30", "1 09:00", "1 18:30", "7 07:45"]);
  await browser.visit(path, { form: { time_zone: "UTC" } });
  expect((await readSlots()).slots).toEqual([]);
});

test("403 and 404 for who may not see or change them", async () => {
  const viewer = await signInMember(tenant, "viewer");
  expect((await viewer.visit(path)).text).not.toContain("Save");
  expect((await viewer.visit(path, { form: everyDay("09:00") })).status).toBe(403);
  expect((await browser.visit(path.replace(account.id, tenant.ownerId))).status).toBe(404);
});

test("the calendar has each free slot as a link to the composer, which fills it", async () => {
  await browser.visit(path, { form: { time_zone: "UTC", ...everyDay("23:58") } });
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  const link = `compose?at=${day}T23%3A58&amp;account=${account.id}`;
  const read = async (view: string) => (await browser.visit(`${base}/calendar?view=${view}&date=${day}`)).text;
  for (const view of ["month", "week", "day"]) expect(await read(view)).toContain(link);
  const composer = (await browser.visit(`${base}/compose?at=${day}T23%3A58&account=${account.id}`)).text;
  expect(composer.match(/<input[^>]*id="at"[^>]*>/)?.[0]).toContain(`value="${day}T23:58"`);
  expect(composer.match(new RegExp(`<input[^>]*value="${account.id}"[^>]*>`))?.[0]).toContain("checked");
  const scheduled_at = `${day}T23:58:00Z`;
  await tenant.api.post("/posts", { caption: "Fills it", accounts: [{ id: account.id }], scheduled_at });
  for (const view of ["month", "week", "day"]) expect(await read(view)).not.toContain(link);
});

test("free slots at the two times that a clock shows twice are links that keep which one it is", async () => {
  await tenant.api.patch("/workspace", { time_zone: "America/New_York" });
  await browser.visit(path, { form: { time_zone: "UTC", day7: "05:30, 06:30" } });
  const { text } = await browser.visit(`${base}/calendar?view=day&date=2027-11-07`);
  const at = "compose?at=2027-11-07T01%3A30";
  const links = text.match(/compose\?at=2027-11-07T01%3A30[^"]*/g);
  expect(links).toEqual([
    `${at}&amp;on_overlap=first&amp;account=${account.id}`,
    `${at}&amp;on_overlap=second&amp;account=${account.id}`,
  ]);
  expect(text.replaceAll(/<[^>]+>/g, "")).toMatch(/01:30 \(first of two\) [\s\S]*01:30 \(second of two\) /);
  const [first, second] = (links ?? []).map((link) => browser.visit(`${base}/${link.replaceAll("&amp;", "&")}`));
  expect((await first)?.text).toContain("this is the first (-04:00)");
  expect((await second)?.text).toContain("this is the second (-05:00)");
  await tenant.api.patch("/workspace", { time_zone: "UTC" });
});

test("the composer opens a draft at the next free slot as such, and checks it", async () => {
  const body = { caption: "Slot", accounts: [{ id: account.id }], scheduled_at: "next_slot" };
  const { id } = (await tenant.api.post("/posts/prepare", body)).body.data;
  const { text } = await browser.visit(`${base}/compose?draft=${id}`);
  expect(text.match(/<input[^>]*id="next-slot"[^>]*>/)?.[0]).toContain("checked");
  const check = await browser.visit(`${base}/compose/check`, { json: { posts: [body] } });
  expect(check.text).toContain("fits");
});

test.each(CLOCK_CHANGES)("in %s %s, %s, is %s on the pages", async (zone, local, rule, instant) => {
  await tenant.api.patch("/workspace", { time_zone: zone });
  const body = { caption: "Clock", accounts: [{ id: account.id }], scheduled_at: "2028-06-01T12:00:00Z" };
  const { id } = (await tenant.api.post("/posts", body)).body.data;
  const read = async () => (await tenant.api.get(`/posts/${id}`)).body.data;
  const open = async () => (await browser.visit(`${base}/posts/${id}`)).text;
  if (rule === "earlier" || rule === "second") {
    // The dashboard has no such rule: it shows such a post, and keeps it.
    await tenant.api.patch(`/posts/${id}`, { scheduled_at: instant });
    if (rule === "second") expect(await open()).toContain("the second of two");
    const shown = (await open()).match(/<input[^>]*id="at"[^>]*>/)?.[0].match(/ value="([^"]*)"/)?.[1] ?? "";
    await browser.visit(`${base}/posts/${id}/reschedule`, { form: { at: shown } });
  } else {
    await browser.visit(`${base}/posts/${id}/reschedule`, { form: { at: local } });
    expect((await read()).schedule.time_zone).toBe(zone);
  }
  expect((await read()).scheduled_at).toBe(instant);
});
