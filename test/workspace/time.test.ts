// Times of the dashboard in the zone of the workspace: gaps, overlaps, seconds, and days that do not begin at midnight.
import { afterEach, expect, test } from "vitest";
import { setZoneRules } from "../../lib/shared/zone-rules.ts";
import { createTestAccount, createTestTenant } from "../support/harness.ts";
import { startClock } from "../support/stop-clock.ts";
import { signInOwner } from "./dashboard.ts";

startClock();
const tenant = await createTestTenant();
const account = await createTestAccount(tenant, "bluesky");
const browser = await signInOwner(tenant);
const base = `/dashboard/${tenant.workspaceId}`;

afterEach(() => setZoneRules(""));

const setZone = (time_zone: string) => tenant.api.patch("/workspace", { time_zone });
const readTime = async (id: string) => (await tenant.api.get(`/posts/${id}`)).body.data.scheduled_at;

async function createPost(at: string, path = "/posts"): Promise<string> {
  const body = { caption: "Time", accounts: [{ id: account.id }], scheduled_at: at };
  const { status, body: created } = await tenant.api.post(path, body);
  expect(status).toBe(201);
  return created.data.id;
}

const readField = (html: string) => html.match(/<input[^>]*id="at"[^>]*>/)?.[0].match(/ value="([^"]*)"/)?.[1];
const move = (id: string, at: string, more = {}) =>
  browser.visit(`${base}/posts/${id}/reschedule`, { form: { at, ...more } });

test.each([
  ["America/New_York", "2027-03-14T02:30", "2027-03-14T07:30:00.000Z", "skips 02:30, so it is 03:30"],
  ["Europe/Berlin", "2027-03-28T02:30", "2027-03-28T01:30:00.000Z", "skips 02:30, so it is 03:30"],
  ["America/Santiago", "2027-09-05T00:00", "2027-09-05T04:00:00.000Z", "skips 00:00, so it is 01:00"],
  ["America/New_York", "2027-11-07T01:30", "2027-11-07T05:30:00.000Z", "twice on this day: this is the first"],
  ["Asia/Tokyo", "2027-11-07T01:30:15", "2027-11-06T16:30:15.000Z", "The post is moved."],
])("in %s a post is moved to %s", async (zone, wallClock, instant, notice) => {
  await setZone(zone);
  const id = await createPost("2027-06-01T12:00:00Z");
  expect((await move(id, wallClock)).status).toBe(303);
  expect(await readTime(id)).toBe(instant);
  expect((await browser.visit(`${base}/posts/${id}`)).text).toContain(notice);
});

test.each([
  ["America/New_York", "2027-11-07T05:30:00.000Z", "first"],
  ["America/New_York", "2027-11-07T06:30:00.000Z", "second"],
  ["Europe/Berlin", "2027-10-31T00:30:00.000Z", "first"],
  ["Europe/Berlin", "2027-10-31T01:30:45.000Z", "second"],
])("in %s a post at %s, the %s of two, is opened and moved without a change", async (zone, instant, occurrence) => {
  await setZone(zone);
  const id = await createPost(instant);
  const page = await browser.visit(`${base}/posts/${id}`);
  expect(page.text).toContain(`(the ${occurrence} of two)`);
  expect(page.text).toContain(`this is the ${occurrence} (`);
  expect((await browser.visit(`${base}/queue`)).text).toContain(`(the ${occurrence} of two)`);
  await move(id, readField(page.text) ?? "", { zone });
  expect(await readTime(id)).toBe(instant);
  expect((await browser.visit(`${base}/posts/${id}`)).text).toContain("The post keeps its time.");
});

test("a form keeps the zone that it was shown in", async () => {
  await setZone("Europe/Berlin");
  const id = await createPost("2027-06-01T12:00:00Z");
  expect((await browser.visit(`${base}/posts/${id}`)).text).toContain('name="zone" value="Europe/Berlin"');
  await setZone("Asia/Tokyo");
  await move(id, "2027-06-01T15:00", { zone: "Europe/Berlin" });
  expect(await readTime(id)).toBe("2027-06-01T13:00:00.000Z");
  await move(id, "2027-06-01T15:00", { zone: "Mars/Phobos" });
  expect(await readTime(id)).toBe("2027-06-01T06:00:00.000Z");
});

test.each(["2027-02-30T10:00", "2027-02-29T10:00", "2027-06-01T24:00", "2027-06-01", "", "tomorrow"])(
  "303 for a move to %j, and the post stays",
  async (wallClock) => {
    await setZone("Europe/Berlin");
    const id = await createPost("2027-06-01T12:00:00Z");
    expect((await move(id, wallClock)).status).toBe(303);
    expect(await readTime(id)).toBe("2027-06-01T12:00:00.000Z");
  },
);

test("the composer shows seconds and which of two times it is, and has the stored instant beside them", async () => {
  await setZone("America/New_York");
  const id = await createPost("2027-11-07T06:30:45.000Z", "/posts/prepare");
  const { text } = await browser.visit(`${base}/compose?draft=${id}`);
  expect(readField(text)).toBe("2027-11-07T01:30:45");
  expect(text.match(/<input[^>]*id="at"[^>]*>/)?.[0]).toContain('step="any"');
  expect(text).toContain(
    'data-stored="{&quot;local&quot;:&quot;2027-11-07T01:30:45&quot;,&quot;time_zone&quot;:&quot;America/New_York&quot;,&quot;on_overlap&quot;:&quot;second&quot;}"',
  );
  expect(text).toContain('data-time-zone="America/New_York"');
  expect(text).toContain("this is the second (-05:00)");
});

test.each([
  ["America/New_York", "2027-11-07T01:30", "2027-11-07T06:30:00.000Z", "-05:00"],
  ["Europe/Berlin", "2027-10-31T02:30", "2027-10-31T01:30:00.000Z", "+01:00"],
])("in %s the composer opens at the second %s, says so, and stores %s", async (zone, local, instant, offset) => {
  await setZone(zone);
  const { text } = await browser.visit(`${base}/compose?at=${local}&on_overlap=second`);
  expect(readField(text)).toBe(local);
  expect(text).toContain(`this is the second (${offset})`);
  const [, stored = ""] = text.match(/data-stored="([^"]*)"/) ?? [];
  const scheduled_at = JSON.parse(stored.replaceAll("&quot;", '"'));
  const body = { caption: "Second", accounts: [{ id: account.id }], scheduled_at };
  expect(await readTime((await tenant.api.post("/posts", body)).body.data.id)).toBe(instant);
  expect((await browser.visit(`${base}/compose?at=${local}`)).text).toContain("this is the first");
  const note = (await browser.visit(`${base}/compose/time?at=${local}&on_overlap=second`)).text;
  expect(note).toContain(`this is the second (${offset})`);
});

test("the composer asks which of two times is meant where the clock shows it twice, and nowhere else", async () => {
  await setZone("America/New_York");
  const open = async (query: string) => (await browser.visit(`${base}/compose${query}`)).text;
  const isAsked = (text: string) => !/<label id="at-twice"[^>]*hidden/.test(text);
  const isSecond = (text: string) => /<option value="second"[^>]*selected/.test(text);
  const pages = [await open("?at=2027-11-07T01:30"), await open("?at=2027-11-07T01:30&on_overlap=second")];
  expect(pages.map((text) => [isAsked(text), isSecond(text)])).toEqual([
    [true, false],
    [true, true],
  ]);
  for (const query of ["", "?at=2027-11-07T03:30", "?at=2027-03-14T02:30"])
    expect(isAsked(await open(query))).toBe(false);
});

test("the composer says why it takes no time that is over", async () => {
  await setZone("Asia/Tokyo");
  const { text } = await browser.visit(`${base}/compose?at=2026-06-01T09:30`);
  expect(readField(text)).toBe("");
  expect(text).toMatch(/id="at-note"[^>]*>1 Jun 2026, 09:30 is over, so no time is chosen\. Choose a later one/);
  expect((await browser.visit(`${base}/compose`)).text).not.toContain("no time is chosen");
});

test("the composer learns of the server what a time means, and of no time nothing", async () => {
  await setZone("America/New_York");
  const ask = async (at: string, name = "at") =>
    JSON.parse((await browser.visit(`${base}/compose/time?${name}=${at}`)).text);
  expect(await ask("2027-03-14T02:30")).toEqual({
    ...{ note: expect.stringContaining("skips 02:30, so it is 03:30"), is_twice: false },
  });
  expect(await ask("2027-11-07T01:30")).toEqual({ note: expect.stringContaining("the first"), is_twice: true });
  for (const at of ["2027-03-14T04:30", "2027-02-30T10:00", ""])
    expect(await ask(at)).toEqual({ note: null, is_twice: false });
  expect(await ask("2027-11-07T06:30:00Z", "instant")).toEqual({
    clock: { local: "2027-11-07T01:30", time_zone: "America/New_York", on_overlap: "second" },
  });
  expect(await ask("then", "instant")).toEqual({ clock: null });
});

test.each([
  ["America/Santiago", "2027-09-05", "2027-09-05T04:00:00.000Z"],
  ["America/Havana", "2027-03-14", "2027-03-14T05:00:00.000Z"],
  ["America/Los_Angeles", "2027-11-07", "2027-11-07T07:00:00.000Z"],
  ["Pacific/Kiritimati", "2027-11-08", "2027-11-07T10:00:00.000Z"],
])("in %s the day %s begins at %s, in the queue and in the calendar", async (zone, day, begin) => {
  await setZone(zone);
  const first = await createPost(begin);
  const before = await createPost(new Date(Date.parse(begin) - 1).toISOString());
  const queue = (await browser.visit(`${base}/queue?day=${day}`)).text;
  expect([queue.includes(first), queue.includes(before)]).toEqual([true, false]);
  const calendar = (await browser.visit(`${base}/calendar?month=${day.slice(0, 7)}`)).text;
  const [, ofDay = ""] = calendar.match(new RegExp(`data-date="${day}">(.*?)</ul>`, "s")) ?? [];
  expect([ofDay.includes(first), ofDay.includes(before)]).toEqual([true, false]);
});

test("the page opens for days at the ends of the calendar, and with a cookie that names no zone", async () => {
  for (const day of ["9999-12-31", "0001-01-01", "2027-02-30", "x"]) {
    expect((await browser.visit(`${base}/queue?day=${day}`)).status).toBe(200);
  }
  for (const zone of ["+02:00", "Mars/Phobos", "America/Coyhaique", "%"]) {
    browser.cookies.set("zone", zone);
    for (const page of ["queue", "calendar", "compose"]) {
      expect((await browser.visit(`${base}/${page}`)).status).toBe(200);
    }
  }
});

test("the settings show what the clock says there now, by the rules of the deployment", async () => {
  // Bolivia is four hours behind UTC, and no other test here reads its clock.
  setZoneRules("America/La_Paz 2026-01-01T00:00:00Z +09:00");
  await setZone("America/La_Paz");
  const read = () => new Date(Date.now() + 9 * 60 * 60 * 1000).toISOString().slice(11, 16);
  const before = read();
  const { text } = await browser.visit(`${base}/settings`);
  expect([before, read()]).toContain(text.match(/It is (\d\d:\d\d) there now/)?.[1]);
});
