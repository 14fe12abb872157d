// The zone of a browser becomes that of the workspace, and the composer opens a time that its clock shows twice.
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
  await there.goto(`${base}/settings`);
  await there.getByRole("link", { name: `(this browser: ${TIME_ZONE})` }).waitFor();
  await there.getByRole("button", { name: `Use ${TIME_ZONE}, the time zone of this browser` }).press("Enter");
  await there.getByRole("button", { name: "Save" }).press("Enter");
  await there.getByText(`Times are in ${TIME_ZONE} from now on.`).waitFor();
  assert.equal(await there.getByText("(this browser:").count(), 0);
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
  await call("PATCH", "/workspace", { time_zone: "UTC" });
}
