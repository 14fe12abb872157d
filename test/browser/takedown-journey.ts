// A published post on its page: its text is changed and it is taken down with the keyboard, on a wide and on a narrow screen.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { findViolations } from "./axe.ts";
import type { Call } from "./call-api.ts";
import type { World } from "./journey.ts";
import { waitFor } from "./wait-for.ts";

const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 900 };

interface Published {
  status: string;
}

export async function runTakedownJourney(
  page: Page,
  base: string,
  call: Call,
  { networksUrl, log }: World,
  screenshots: string,
): Promise<void> {
  type Account = { id: string; platform: string; status: string };
  const { accounts } = await call<{ accounts: Account[] }>("GET", "/accounts", undefined);
  const chosen = ["bluesky", "facebook", "threads"].flatMap(
    (platform) => accounts.find((account) => account.platform === platform && account.status === "active")?.id ?? [],
  );
  const body = { caption: "Opening hours on Sonday", accounts: chosen.map((id) => ({ id })) };
  const { id } = await call<{ id: string }>("POST", "/posts", body);
  const read = () => call<Published>("GET", `/posts/${id}`, undefined);
  await waitFor(async () => (await read()).status === "posted", 60_000);
  const listOut = async () => JSON.stringify(await (await fetch(`${networksUrl}/_published`)).json());

  page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined));
  for (const size of [WIDE, NARROW]) {
    await page.setViewportSize(size);
    await page.goto(`${base}/posts/${id}`);
    for (const name of ["Edit what is out", "Take down"])
      await page.locator("summary", { hasText: name }).press("Enter");
    assert.deepEqual(await findViolations(page), []);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    assert.equal(overflow, 0);
    await page.screenshot({ path: join(screenshots, `takedown-${size.width}.png`), fullPage: true });
  }
  log("the forms of a published post have no violation, and fit a screen of 390 px");

  await page.fill("#published-caption", "Opening hours on Sunday");
  await page.locator("button", { hasText: /^Change$/ }).press("Enter");
  await page.getByText("Facebook shows the new caption.").waitFor();
  assert.match(await listOut(), /Opening hours on Sunday/);
  log("the text of what is out was changed where the network allows it");

  await page.locator("summary", { hasText: "Take down" }).press("Enter");
  await page.locator("form[action$=unpublish] button").press("Enter");
  await page.getByText("Bluesky removed the post.").waitFor();
  assert.equal((await read()).status, "deleted");
  assert.doesNotMatch(await listOut(), /Opening hours on S[ou]nday/);
  await page.screenshot({ path: join(screenshots, "takedown-done.png"), fullPage: true });
  await page.setViewportSize(WIDE);
  log("a post was taken down from three networks with the keyboard, and nothing of it is out");
}
