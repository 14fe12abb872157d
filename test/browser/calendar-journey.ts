// A scheduled post is moved in the calendar: dragged to a day and an hour, by keyboard, and back; several in the queue together.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Call } from "./call-api.ts";
import { requireFit } from "./hands.ts";
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

  const readTime = async () => (await call<{ scheduled_at: string }>("GET", `/posts/${id}`, undefined)).scheduled_at;
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await page.locator('.day[data-date="2031-03-12"] a.entry', { hasText: "Moved by hand" }).waitFor();
  assert.equal(await readTime(), "2031-03-12T10:30:00.000Z");
  log("took the move back with Undo");

  await page.goto(`${base}/calendar?view=week&date=2031-03-12`);
  const hour = (date: string, of: string) => page.locator(`.hour[data-date="${date}"][data-hour="${of}"]`);
  await entry.dragTo(hour("2031-03-13", "15"));
  await hour("2031-03-13", "15").locator("a.entry", { hasText: "Moved by hand" }).waitFor();
  assert.equal(await readTime(), "2031-03-13T15:30:00.000Z");
  log("dragged it to another hour of the week");

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("link", { name: "Month", exact: true }).press("Enter");
  await page.waitForURL(/view=month/);
  await page.getByRole("button", { name: "Move Moved by hand" }).press("Enter");
  await page.getByRole("button", { name: "A week later" }).press("Enter");
  await page.locator("#move button[type=submit]").press("Enter");
  await page.locator('.day[data-date="2031-03-20"] a.entry', { hasText: "Moved by hand" }).waitFor();
  assert.equal(await readTime(), "2031-03-20T15:30:00.000Z");
  assert.equal(await page.evaluate("document.activeElement?.pathname?.split('/').at(-1)"), id);
  await requireFit(page);
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Move Moved by hand" }).press("Enter");
  await page.getByRole("button", { name: "A day later" }).press("Enter");
  await page.locator("#move button[type=submit]").press("Enter");
  await page.locator("#move-problem", { hasText: "You are signed out. Sign in in another window" }).waitFor();
  await page.context().addCookies(cookies);
  await page.locator("#move [data-close]").press("Enter");
  await page.setViewportSize({ width: 1280, height: 720 });
  log("moved it by keyboard on a phone's width, and the focus stayed on it");

  const other = await call<{ id: string }>("POST", "/posts", { ...body, caption: "Moved beside it" });
  await page.goto(`${base}/queue?day=2031-03-20`);
  await page.goto(`${base}/queue?status=scheduled&network=bluesky`);
  for (const one of [id, other.id]) await page.locator(`input[name=post][value="${one}"]`).press("Space");
  await page.locator("#bulk-by").selectOption("day-earlier");
  await page.getByRole("button", { name: "Move", exact: true }).press("Enter");
  await page.getByText("2 posts are moved.").waitFor();
  assert.equal(await readTime(), "2031-03-19T15:30:00.000Z");
  assert.match(page.url(), /status=scheduled&network=bluesky$/);
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await page.getByText("Everything is as it was.").waitFor();
  assert.equal(await readTime(), "2031-03-20T15:30:00.000Z");
  log("moved two posts of the filtered queue together, and took it back");

  for (const one of [id, other.id]) await page.locator(`input[name=post][value="${one}"]`).press("Space");
  await page.getByRole("button", { name: "Pause", exact: true }).press("Enter");
  await page.getByText("2 posts are paused.").waitFor();
  const paused = await call<{ status: string; scheduled_at: string }>("GET", `/posts/${id}`, undefined);
  assert.deepEqual([paused.status, paused.scheduled_at], ["draft", "2031-03-20T15:30:00.000Z"]);
  await page.goto(`${base}/queue?status=draft`);
  for (const one of [id, other.id]) await page.locator(`input[name=post][value="${one}"]`).press("Space");
  await page.getByRole("button", { name: "Delete", exact: true }).first().press("Enter");
  await page.getByText("2 posts deleted.").waitFor();
  await page.reload();
  await page.locator(`#post-${other.id}`).waitFor({ state: "detached" });
  log("paused both, then deleted both together");
}
