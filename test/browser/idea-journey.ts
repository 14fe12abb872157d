// One journey, by keyboard alone and then by touch on a phone, with a reload in the middle of each step: an idea becomes a
// slideshow, is edited, rendered, scheduled for three networks, seen in the queue and moved in the calendar.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { Slideshow } from "../../lib/schemas/slideshow.ts";
import { MINUTE_MS } from "../../lib/shared/durations.ts";
import type { Call } from "./call-api.ts";
import { type Hands, KEYBOARD, openPhone, requireFit, TOUCH } from "./hands.ts";
import type { World } from "./journey.ts";
import { waitFor } from "./wait-for.ts";

const NETWORKS = ["instagram", "threads", "linkedin"];
const SLIDESHOW_URL = /\/slideshows\/[0-9a-f-]{36}$/;
const SLIDES = 5;
const WEEK_MS = 7 * 86_400_000;
/** Until the minute that the post is moved to, and its publishing. */
const PUBLISH_TIMEOUT_MS = 3 * MINUTE_MS;

interface Step {
  page: Page;
  base: string;
  call: Call;
  hands: Hands;
}

interface StoredPost {
  id: string;
  caption: string;
  status: string;
  scheduled_at: string;
}

export async function runIdeaJourney(browser: Browser, page: Page, base: string, call: Call, world: World) {
  await walk({ page, base, call, hands: KEYBOARD }, "Five calm habits for small flats", world);
  const context = await openPhone(browser, world.origin, page.context());
  const phone = await context.newPage();
  const post = await walk({ page: phone, base, call, hands: TOUCH }, "Three ways to rest", world);
  await publishSoon({ page: phone, base, call, hands: TOUCH }, post);
  await context.close();
  world.log("moved to the next minute in the calendar, and it went out on all three networks");
}

async function walk(step: Step, idea: string, { log }: World): Promise<StoredPost> {
  const { page, hands } = step;
  for (const work of [writeIdea, changeWords, makeImages]) {
    await work(step, idea);
    await requireFit(page);
  }
  const post = await schedule(step, `${idea}, as slides`);
  await seeInQueue(step, post);
  await requireFit(page);
  const moved = await moveInCalendar(step, post);
  await requireFit(page);
  log(`by ${hands.name}: idea, slideshow, edited, rendered, scheduled for three networks, in the queue, moved`);
  return moved;
}

async function writeIdea({ page, base, hands }: Step, idea: string): Promise<void> {
  await page.goto(`${base}/slideshows/new`);
  await hands.write(page, page.locator("#prompt"), idea);
  await page.reload();
  assert.equal(await page.inputValue("#prompt"), idea);
  await hands.press(page, page.getByRole("button", { name: "Write the slides" }));
  await page.locator(".writing .skeleton").first().waitFor();
  // The slides are being written, and the page that is opened again waits for the same ones.
  await page.reload();
  await page.waitForURL(SLIDESHOW_URL);
  await page.locator(".text-box").first().waitFor();
  assert.equal(await page.locator("#strip li").count(), SLIDES);
}

async function changeWords({ page, call, hands }: Step): Promise<void> {
  const words = "Begin with one shelf";
  const text = page.locator(".text-box").first();
  await hands.press(page, text);
  // A tap chooses the text, and the second one opens it.
  if (hands === TOUCH) await hands.press(page, text);
  await page.locator(".text-edit").waitFor();
  await page.locator(".text-edit").press("Control+A");
  await page.keyboard.type(words);
  // Before the change is stored.
  await page.reload();
  await text.waitFor();
  const read = () => call<Slideshow>("GET", `/slideshows/${getLastPart(page)}`, undefined);
  await waitFor(async () => (await read()).slides[0]?.text_elements[0]?.content === words);
}

async function makeImages({ page, hands }: Step): Promise<void> {
  const make = page.getByRole("button", { name: "Make the images" });
  const link = page.getByRole("link", { name: "Post this" });
  await hands.press(page, make);
  await page.getByText(`Making ${SLIDES} images`).waitFor();
  await page.reload();
  // The service goes on, or is asked once more: what is made already is not made again.
  await make.or(link).first().waitFor();
  if (await make.isVisible()) await hands.press(page, make);
  await link.waitFor();
  assert.equal(await page.locator(".rendered img").count(), SLIDES);
}

async function schedule({ page, base, call, hands }: Step, caption: string): Promise<StoredPost> {
  await hands.press(page, page.getByRole("link", { name: "Post this" }));
  await page.waitForURL(/\/compose\?slideshow=/);
  await page
    .locator("#uploads li[data-url]")
    .nth(SLIDES - 1)
    .waitFor();
  await requireFit(page);
  await hands.write(page, page.locator("#caption"), caption);
  const boxes = NETWORKS.map((network) => page.locator(`input[data-platform=${network}][data-type=byo]`).first());
  for (const box of boxes) await hands.tick(page, box);
  await hands.press(page, page.getByRole("button", { name: "Tomorrow 9:00" }));
  await page.locator("#save-state", { hasText: /^Saved$/ }).waitFor();
  await page.reload();
  await page
    .locator("#uploads li[data-url]")
    .nth(SLIDES - 1)
    .waitFor();
  assert.equal(await page.inputValue("#caption"), caption);
  for (const box of boxes) assert.ok(await box.isChecked());
  await hands.press(page, page.locator("#publish", { hasText: "Schedule" }));
  await page.waitForURL((url) => url.pathname === `${base}/queue`);
  const { posts } = await call<{ posts: StoredPost[] }>("GET", "/posts?limit=100", undefined);
  const post = posts.find((one) => one.caption === caption);
  assert.ok(post);
  assert.equal(post.status, "scheduled");
  return post;
}

async function seeInQueue({ page, hands }: Step, { id, caption }: StoredPost): Promise<void> {
  const post = page.locator(`#post-${id}`, { hasText: caption });
  await post.waitFor();
  await page.reload();
  await post.waitFor();
  assert.equal(await post.locator(".delivery.scheduled").count(), NETWORKS.length);
  await hands.press(page, post.getByRole("link", { name: caption }));
  await page.locator(".caption", { hasText: caption }).waitFor();
}

async function moveInCalendar(step: Step, post: StoredPost): Promise<StoredPost> {
  const { page, hands } = step;
  const later = page.getByRole("button", { name: "A week later" });
  await openMove(step, post);
  await hands.press(page, later);
  // A move that was not confirmed is none.
  await page.reload();
  assert.equal((await readPost(step, post)).scheduled_at, post.scheduled_at);
  await openMove(step, post);
  await hands.press(page, later);
  await hands.press(page, page.locator("#move button[type=submit]"));
  await page.getByText(/^Moved to /).waitFor();
  const moved = await readPost(step, post);
  assert.equal(Date.parse(moved.scheduled_at) - Date.parse(post.scheduled_at), WEEK_MS);
  return moved;
}

/** Opens the day of the post in the calendar, and its dialog. */
async function openMove({ page, base, hands }: Step, { caption, scheduled_at }: StoredPost): Promise<void> {
  await page.goto(`${base}/calendar?view=day&date=${scheduled_at.slice(0, 10)}`);
  // The calendar has the first words.
  await hands.press(page, page.getByRole("button", { name: `Move ${caption.slice(0, 40)}` }));
  await page.locator("#move[open]").waitFor();
}

async function publishSoon(step: Step, post: StoredPost): Promise<void> {
  const { page, base, hands } = step;
  await openMove(step, post);
  const at = new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + MINUTE_MS);
  await hands.write(page, page.locator("#move-at"), at.toISOString().slice(0, 16));
  await hands.press(page, page.locator("#move button[type=submit]"));
  await page.getByText(/^Moved to /).waitFor();
  await page.goto(`${base}/queue`);
  const states = page.locator(`#post-${post.id} .delivery.posted`);
  await states.nth(NETWORKS.length - 1).waitFor({ timeout: PUBLISH_TIMEOUT_MS });
}

const readPost = ({ call }: Step, { id }: StoredPost) => call<StoredPost>("GET", `/posts/${id}`, undefined);

const getLastPart = (page: Page) => new URL(page.url()).pathname.split("/").at(-1);
