// The zone of a browser becomes that of the workspace, and the composer opens a time that its clock shows twice.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { HOUR_MS, MINUTE_MS } from "../../lib/shared/durations.ts";
import { listOffsets } from "../../lib/shared/time-zone.ts";
import type { Call } from "./call-api.ts";
import { requireFit } from "./hands.ts";
import type { World } from "./journey.ts";

const TIME_ZONE = "America/New_York";
/** The second 01:30 of its day. */
const SECOND = "2031-11-02T06:30:45.000Z";

interface Scheduled {
  caption: string;
  scheduled_at: string;
}

export async function runClockJourney(
  browser: Browser,
  page: Page,
  base: string,
  call: Call,
  { origin, log }: World,
): Promise<void> {
  type Account = { id: string; platform: string; status: string };
  const { accounts } = await call<{ accounts: Account[] }>("GET", "/accounts", undefined);
  const account = accounts.find(({ platform }) => platform === "bluesky");
  const body = { caption: "At the second of two", accounts: [{ id: account?.id }], scheduled_at: SECOND };
  const { id } = await call<{ id: string }>("POST", "/posts/prepare", body);
  const readTime = async () => (await call<{ scheduled_at: string }>("GET", `/posts/${id}`, undefined)).scheduled_at;

  const storageState = await page.context().storageState();
  const context = await browser.newContext({ storageState, baseURL: origin, timezoneId: TIME_ZONE });
  const there = await context.newPage();
  await there.goto(`${base}/settings`);
  await there.getByRole("link", { name: `(this browser: ${TIME_ZONE})` }).waitFor();
  await there.setViewportSize({ width: 390, height: 844 });
  await requireFit(there);
  await there.getByRole("button", { name: `Use ${TIME_ZONE}, the time zone of this browser` }).press("Enter");
  await there.getByRole("button", { name: "Save" }).press("Enter");
  await there.getByText(`Times are in ${TIME_ZONE} from now on.`).waitFor();
  assert.equal(await there.getByText("(this browser:").count(), 0);
  // Another name of the same zone.
  await call("PATCH", "/workspace", { time_zone: "US/Eastern" });
  await there.reload();
  await there.getByRole("link", { name: "Times are in US/Eastern" }).waitFor();
  assert.equal(await there.getByText("(this browser:").count(), 0);
  assert.equal(await there.getByRole("button", { name: /^Use / }).count(), 0);
  await call("PATCH", "/workspace", { time_zone: TIME_ZONE });
  await context.close();
  log(`the workspace took the time zone of a browser, ${TIME_ZONE}`);

  // In a browser that is in another zone.
  await page.goto(`${base}/compose?draft=${id}`);
  await page.locator(`#at[data-time-zone="${TIME_ZONE}"]`).waitFor();
  assert.equal(await page.inputValue("#at"), "2031-11-02T01:30:45");
  await page.locator("#at-note", { hasText: "this is the second" }).waitFor();
  const stored = page.waitForResponse((response) => response.url().endsWith(`/posts/${id}`) && response.ok());
  await page.click("button[value=check]");
  await stored;
  await page.locator("button[value=check]:enabled").waitFor();
  assert.equal(await readTime(), SECOND);
  log("a draft at the second of two equal times was saved, and kept it and its seconds");

  // A composer that was opened an hour before.
  const now = new Date(Date.parse(SECOND) - HOUR_MS - MINUTE_MS);
  await page.route(`**${base}/compose`, async (route) => {
    const offsets = JSON.stringify(listOffsets(now, TIME_ZONE)).replaceAll('"', "&quot;");
    const body = (await (await route.fetch()).text())
      .replace(/data-now="[^"]*"/, `data-now="${now.toISOString()}"`)
      .replace(/data-offsets="[^"]*"/, `data-offsets="${offsets}"`);
    await route.fulfill({ body, contentType: "text/html; charset=utf-8" });
  });
  await page.goto(`${base}/compose`);
  await page.fill("#caption", "In an hour");
  await page.locator("input[data-platform=bluesky][data-type=byo]").first().check();
  await page.getByRole("button", { name: "In an hour" }).press("Enter");
  assert.equal(await page.inputValue("#at"), "2031-11-02T01:30");
  await page.locator("#at-note", { hasText: "this is the second (-05:00)" }).waitFor();
  // The connection is lost for a moment.
  const lost = page.waitForEvent("requestfailed");
  await page.route("**/compose/time?*", (route) => route.abort(), { times: 1 });
  await page.fill("#at", "2031-11-02T01:31");
  await lost;
  await page.locator("#at-note", { hasText: "this is the first (-04:00)" }).waitFor();
  await page.getByRole("button", { name: "In an hour" }).press("Enter");
  await page.locator("#at-note", { hasText: "this is the second (-05:00)" }).waitFor();
  // The choice is there for a time that comes twice alone, on a phone too.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByLabel("Which of the two").waitFor();
  await requireFit(page);
  await page.getByLabel("Which of the two").selectOption("The first");
  await page.locator("#at-note", { hasText: "this is the first (-04:00)" }).waitFor();
  await page.fill("#at", "2031-11-02T03:30");
  await page.locator("#at-twice").waitFor({ state: "hidden" });
  await page.fill("#at", "2031-11-02T01:30");
  await page.getByLabel("Which of the two").selectOption("The second");
  await page.locator("#at-note", { hasText: "this is the second (-05:00)" }).waitFor();
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.click("#publish");
  await page.waitForURL((url) => url.pathname === `${base}/queue`);
  await page.unroute(`**${base}/compose`);
  const { posts } = await call<{ posts: Scheduled[] }>("GET", "/posts?limit=100", undefined);
  const sent = posts.find(({ caption }) => caption === "In an hour");
  assert.equal(sent?.scheduled_at, "2031-11-02T06:30:00.000Z");
  log("a post in an hour went to the second of two equal times, as the page said");
  await call("PATCH", "/workspace", { time_zone: "UTC" });
}
