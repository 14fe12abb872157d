// From a tracked account to its chart and its file for a spreadsheet: by keyboard alone, then by touch on a phone.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { openPhone, requireFit } from "./hands.ts";
import type { World } from "./journey.ts";
import { pressEnter, tabTo } from "./keyboard.ts";
import { waitFor } from "./wait-for.ts";

/** A refresh reads its posts in a few seconds; on a busy machine in more. */
const REFRESH_TIMEOUT_MS = 60_000;

export async function runAnalyticsJourney(browser: Browser, page: Page, base: string, { log }: World): Promise<void> {
  await trackByKeyboard(page, `${base}/analytics`);
  log("by keyboard: an account is tracked, its chart read as a table, its posts exported");
  const context = await openPhone(browser, new URL(page.url()).origin, page.context());
  try {
    await trackByTouch(await context.newPage(), `${base}/analytics`);
  } finally {
    await context.close();
  }
  log("by touch at 390 px: a second account is tracked, its days exported, its removal taken back");
}

async function trackByKeyboard(page: Page, path: string): Promise<void> {
  await page.goto(path);
  const another = page.getByText("Track another account");
  if (await another.isVisible()) await pressEnter(page, another);
  await tabTo(page, page.getByLabel("Handle or address of the profile"));
  await page.keyboard.type("two words");
  await page.keyboard.press("Enter");
  await page.getByText("this names no account of TikTok").waitFor();
  const field = page.getByLabel("Handle or address of the profile");
  assert.equal(await field.inputValue(), "two words");
  await tabTo(page, field);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("@north.light");
  await pressEnter(page, page.getByRole("button", { name: "Track this account" }));
  const target = page.locator(".target", { has: page.getByRole("link", { name: "north.light", exact: true }) });
  await target.waitFor();
  // The work goes on without the page, and the page that is opened again says so.
  await page.reload();
  await target
    .getByText(/Reading its posts|Refreshed/)
    .first()
    .waitFor();
  await target.getByText("Refreshed").waitFor({ timeout: REFRESH_TIMEOUT_MS });

  await page.locator("#figures .chart").first().waitFor();
  await pressEnter(page, page.getByText("As a table: Views"));
  const days = await page.locator(".chart details[open] tbody tr").count();
  assert.equal(days, 30);
  const rows = await download(page, () => pressEnter(page, page.getByRole("link", { name: "Posts as CSV" })));
  assert.match(rows[0] ?? "", /^\uFEFF?Published \(UTC\),Network,Account,Caption,Link/);
  assert.ok(rows.length > 1, "the file has no posts");
  await pressEnter(page, page.getByRole("link", { name: "A year" }));
  await page.waitForURL(/range=1y/);
}

async function trackByTouch(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await requireFit(page);
  // The width that WCAG 2.2 asks for: https://www.w3.org/TR/WCAG22/#reflow, read 2026-11-30.
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 844 });
  await requireFit(page);
  if (size) await page.setViewportSize(size);
  const name = "north.light.studio";
  const track = page.getByRole("button", { name: `Track ${name} on Instagram` });
  // The cards above it take their height as they are scrolled into view, so that the first tap may miss.
  await waitFor(async () => {
    await page.getByText("Track another account").tap();
    return track.isVisible();
  });
  await track.tap();
  const target = page.locator(".target", { has: page.getByRole("link", { name, exact: true }) });
  await target.waitFor();
  await page.reload();
  await target.getByText("Refreshed").waitFor({ timeout: REFRESH_TIMEOUT_MS });
  await page.getByRole("link", { name: "90 days" }).tap();
  await page.waitForURL(/range=90d/);
  await page.getByText("As a table: Views").tap();
  await page.locator(".chart details[open] td").first().waitFor();
  await requireFit(page);
  const rows = await download(page, () => page.getByRole("link", { name: "Days as CSV" }).tap());
  assert.equal(rows.length, 91);

  await target.getByText("Change or remove").tap();
  await target.getByRole("button", { name: "Stop tracking" }).tap();
  await target.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Undo" }).tap();
  await target.waitFor();
  await page.reload();
  await target.waitFor();
}

/** The lines of the file that `work` downloads. */
async function download(page: Page, work: () => Promise<void>): Promise<string[]> {
  const starting = page.waitForEvent("download");
  await work();
  const file = await starting;
  assert.match(file.suggestedFilename(), /^analytics-\w+-.*\.csv$/);
  return (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n");
}
