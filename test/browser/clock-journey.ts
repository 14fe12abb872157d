// The composer at a time that the clock shows twice.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { Call } from "./call-api.ts";
import type { World } from "./journey.ts";

const TIME_ZONE = "America/New_York";
/** The second 01:30 of its day. */
const SECOND = "2031-11-02T06:30:45.000Z";

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
  const save = async () => {
    const stored = there.waitForResponse((response) => response.url().endsWith(`/posts/${id}`) && response.ok());
    await there.click("button[value=check]");
    await stored;
    await there.locator("button[value=check]:enabled").waitFor();
  };
  await there.goto(`${base}/compose?draft=${id}`);
  await there.locator(`#at[data-time-zone="${TIME_ZONE}"]`).waitFor();
  assert.equal(await there.inputValue("#at"), "2031-11-02T01:30:45");
  await there.locator("#at-note", { hasText: "this is the second" }).waitFor();
  await save();
  assert.equal(await readTime(), SECOND);
  log("a draft at the second of two equal times was saved, and kept it and its seconds");

  await context.close();
}
