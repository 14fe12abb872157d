// The composer never publishes twice, moves a post, keeps an emptied field, or changes a post that is on its way.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { renderPictures } from "../local/sample/pictures.ts";
import type { Call } from "./call-api.ts";
import type { World } from "./journey.ts";
import { createLargeVideo } from "./large-video.ts";
import { waitFor } from "./wait-for.ts";

/** Far from UTC, in which the workspace is, and without daylight saving time. */
const TIME_ZONE = "Asia/Tokyo";
const LATE_MS = 2_000;

interface PostSummary {
  id: string;
  caption: string;
  scheduled_at: string | null;
}

interface PostDetails {
  accounts: { overrides: { account_id: string; caption?: string; first_comment?: string }[] };
}

export async function runComposerJourney(
  browser: Browser,
  page: Page,
  base: string,
  call: Call,
  { origin, log }: World,
): Promise<void> {
  const findPosts = async (caption: string) => {
    const { posts } = await call<{ posts: PostSummary[] }>("GET", "/posts?limit=100", undefined);
    return posts.filter((post) => post.caption === caption);
  };
  const check = (platform: string) => page.locator(`input[data-platform=${platform}][data-type=byo]`).first().check();
  const waitForQueue = () => page.waitForURL((url) => url.pathname === `${base}/queue`);
  const open = async (caption: string) => {
    await page.goto(`${base}/compose`);
    await page.fill("#caption", caption);
  };

  await open("Sent once");
  await check("bluesky");
  await page.route(`**${base}/queue`, async (route) => {
    await sleep(LATE_MS);
    await route.continue();
  });
  // Within the page, because the browser's driver waits for a navigation that has begun.
  await page.evaluate('setInterval(() => document.querySelector("#publish").click(), 20)');
  await waitForQueue();
  await page.unroute(`**${base}/queue`);
  assert.equal((await findPosts("Sent once")).length, 1);
  log("clicks whenever the button was enabled published once");

  await open("Sent to each once");
  await page.setInputFiles("#files", await createLargeVideo(0));
  await page.locator("#uploads li[data-url]").waitFor();
  for (const platform of ["tiktok", "instagram"]) await check(platform);
  await page.click("#publish");
  await page.locator("#problem", { hasText: "Choose who can view the post on TikTok." }).waitFor();
  await page.locator("#tiktok-privacy:focus").waitFor();
  await page.selectOption("#tiktok-privacy", "PUBLIC_TO_EVERYONE");
  let commits = 0;
  await page.route("**/commit", (route) => (++commits === 2 ? route.abort() : route.continue()));
  await page.click("#publish");
  await page.locator("#problem", { hasText: /\S/ }).waitFor();
  await page.click("#publish");
  await waitForQueue();
  await page.unroute("**/commit");
  assert.equal((await findPosts("Sent to each once")).length, 2);
  log("after a lost connection, only the account that was left was sent to");

  const pictures = [...(await renderPictures())].slice(0, 2).map(([name, bytes]) => ({
    ...{ name: `${name}.jpg`, mimeType: "image/jpeg", buffer: Buffer.from(bytes) },
  }));
  await open("Written beside an upload");
  await check("bluesky");
  await page.setInputFiles("#files", pictures.slice(0, 1));
  const alt = page.locator("#uploads").getByLabel("Alternative text").first();
  await alt.pressSequentially("Boats ");
  await page.setInputFiles("#files", pictures.slice(1));
  await alt.focus();
  await page.locator("#uploads li[data-url]").nth(1).waitFor();
  await page.keyboard.type("in the harbour");
  assert.equal(await alt.inputValue(), "Boats in the harbour");
  const remove = page.locator("#uploads").getByRole("button", { name: "Remove" });
  await remove.first().press("Enter");
  await remove.press("Enter");
  await page.locator("#files:focus").waitFor();
  log(
    "an upload that ended left the focus in the text of another picture, and removing all left it on the field of files",
  );

  await open("Published before its thumbnail");
  await check("youtube");
  await page.route("**/finalize", async (route) => {
    await sleep(LATE_MS);
    await route.continue();
  });
  await page.setInputFiles("#youtube-thumbnail-file", pictures.slice(0, 1));
  await page.click("#publish");
  await page.locator("#problem", { hasText: "Wait until the upload is done." }).waitFor();
  await page.locator(".picture img:visible").waitFor();
  await page.unroute("**/finalize");
  log("a thumbnail on its way kept the post from being published without it");

  await open("At no time");
  await check("bluesky");
  await page.fill("#at", "2031-01-15T09:00");
  const save = async (of: Page) => {
    const stored = of.waitForResponse((response) => /\/posts\/(prepare|[\w-]{36})$/.test(response.url()));
    await of.click("button[value=check]");
    await stored;
    await of.locator("button[value=check]:enabled").waitFor();
  };
  await save(page);
  const [timed] = await findPosts("At no time");
  assert.ok(timed?.scheduled_at);

  await call("PATCH", "/workspace", { time_zone: TIME_ZONE });
  const context = await browser.newContext({ storageState: await page.context().storageState(), baseURL: origin });
  const other = await context.newPage();
  await other.goto(`${base}/compose?draft=${timed.id}`);
  const shown = new Date(Date.parse(timed.scheduled_at) + 9 * 3_600_000).toISOString().slice(0, 16);
  await waitFor(async () => (await other.inputValue("#at")) === shown);
  await save(other);
  assert.equal((await findPosts("At no time"))[0]?.scheduled_at, timed.scheduled_at);
  log(`a draft opened in ${TIME_ZONE} kept its time`);
  await call("PATCH", "/workspace", { time_zone: "UTC" });

  await page.fill("#at", "");
  await page.getByRole("button", { name: "Keep what is here" }).click();
  await page.locator("#save-state", { hasText: /^Saved$/ }).waitFor();
  assert.equal((await findPosts("At no time"))[0]?.scheduled_at, null);
  log("an emptied time is no time");

  await page.fill("#at", "2031-01-15T09:00");
  await page.click("#publish");
  await waitForQueue();
  await other.fill("#caption", "Not this");
  await other.click("#publish");
  await other.locator("#problem", { hasText: "in another window" }).waitFor();
  assert.equal((await findPosts("At no time")).length, 1);
  await context.close();
  log("a window with the old draft did not change the scheduled post");

  await page.goto(`${base}/compose`);
  for (const platform of ["bluesky", "threads"]) await check(platform);
  await page.fill("#caption", "For all");
  const own = page.locator("details[data-own]:visible", { hasText: "Bluesky" });
  await own.locator("summary").press("Enter");
  await own.getByLabel("Another caption").fill("For one");
  await own.getByRole("textbox", { name: "First comment" }).fill("Below");
  await page.locator("#save-state", { hasText: /^Saved$/ }).waitFor();
  await page.reload();
  await page.fill("#caption", "For the others");
  await waitFor(async () => (await findPosts("For the others")).length === 1);
  const [stored] = await findPosts("For the others");
  const { accounts } = await call<PostDetails>("GET", `/posts/${stored?.id}`, undefined);
  assert.deepEqual(
    accounts.overrides.map(({ account_id: _, ...fields }) => fields),
    [{ caption: "For one", first_comment: "Below" }],
  );
  log("an account kept a caption and a first comment of its own");
}
