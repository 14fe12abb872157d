// A scheduled post is dragged to another day of the calendar.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Call } from "./call-api.ts";
import type { World } from "./journey.ts";

export async function runCalendarJourney(page: Page, base: string, call: Call, { log }: World): Promise<void> {
  const { accounts } = await call<{ accounts: { id: string; platform: string; status: string }[] }>(
    "GET",
    "/accounts",
    undefined,
  );
  const account = accounts.find(({ platform, status }) => platform === "bluesky" && status === "active");
  const body = { caption: "Moved by hand", accounts: [{ id: account?.id }], scheduled_at: "2031-03-12T10:30:00.000Z" };
  const { id } = await call<{ id: string }>("POST", "/posts", body);
  await page.goto(`${base}/calendar?month=2031-03`);
  const entry = page.locator("a.entry", { hasText: "Moved by hand" });
  const moved = page.waitForResponse((response) => response.url().endsWith(`/posts/${id}`));
  await entry.dragTo(page.locator('.day[data-date="2031-03-20"]'));
  assert.equal((await moved).status(), 200);
  await page.locator('.day[data-date="2031-03-20"] a.entry', { hasText: "Moved by hand" }).waitFor();
  const { scheduled_at } = await call<{ scheduled_at: string }>("GET", `/posts/${id}`, undefined);
  assert.equal(scheduled_at, "2031-03-20T10:30:00.000Z");
  log("dragged a post to another day of the calendar, and it kept its time");
}
