// All that a post can say, composed with the mouse: for five accounts, at a free slot of the calendar, published as one post as it
// was written, and taken down where a network allows it.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { MINUTE_MS } from "../../lib/shared/durations.ts";
import { renderPictures } from "../local/sample/pictures.ts";
import { findViolations } from "./axe.ts";
import type { Call } from "./call-api.ts";
import { requireFit } from "./hands.ts";
import type { World } from "./journey.ts";
import { waitFor } from "./wait-for.ts";

const PLATFORMS = ["instagram", "pinterest", "bluesky", "threads", "facebook"] as const;
type Platform = (typeof PLATFORMS)[number];

const CAPTION = "Morning at the harbour";
const ALT = "Two boats at a wooden pier in fog";
const COMMENT = "Shot on film, the day before yesterday.";
const FOR_THREADS = "The harbour, before anybody is up";
const BOARD = { name: "Light and rooms", id: "549755885175", section: "Winter", sectionId: "5497558851752" };

interface Published {
  account: string;
  kind: string;
  caption: string;
  media: { alt_text?: string }[];
  settings: Record<string, unknown>;
  at: string;
  parent?: string;
}

interface Stored {
  id: string;
  caption: string;
  status: string;
  scheduled_at: string;
  accounts: { total: number };
}

interface Places {
  /** The server of pages that links lead to. */
  pages: string;
  screenshots: string;
}

export async function runContentJourney(
  page: Page,
  base: string,
  call: Call,
  { networksUrl, log }: World,
  { pages, screenshots }: Places,
): Promise<void> {
  const link = `${pages}/plain`;
  const forBluesky = `More of it: ${link}`;
  const look = (name: string) => page.screenshot({ path: join(screenshots, `content-${name}.png`), fullPage: true });
  type Account = { id: string; platform: string; type: string };
  const { accounts } = await call<{ accounts: Account[] }>("GET", "/accounts", undefined);
  const getId = (platform: Platform) =>
    accounts.find((account) => account.platform === platform && account.type === "byo")?.id ?? "";

  await page.setViewportSize({ width: 1280, height: 900 });
  const slot = new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + 2 * MINUTE_MS);
  const time = slot.toISOString().slice(11, 16);
  await call("PUT", `/accounts/${getId("instagram")}/slots`, {
    time_zone: "UTC",
    slots: [{ weekday: slot.getUTCDay() || 7, time }],
  });
  await page.goto(`${base}/calendar?date=${slot.toISOString().slice(0, 10)}`);
  await page.locator(".slots a", { hasText: time }).first().click();
  await page.waitForURL(/\/compose\?/);
  assert.equal(await page.inputValue("#at"), slot.toISOString().slice(0, 16));
  assert.ok(await page.locator(`input[name=account][value="${getId("instagram")}"]`).isChecked());
  log("a free slot of the calendar opened the composer at its time, with its account");

  const [picture] = [...(await renderPictures())];
  const buffer = Buffer.from(picture?.[1] ?? []);
  await page.setInputFiles("#files", { name: "harbour.jpg", mimeType: "image/jpeg", buffer });
  await page.locator("#uploads li[data-url]").waitFor();
  await page.fill("#caption", CAPTION);
  for (const platform of PLATFORMS.slice(1)) {
    await page.locator("label.account", { has: page.locator(`input[value="${getId(platform)}"]`) }).click();
  }
  await page.locator("#uploads").getByLabel("Alternative text").fill(ALT);
  await page.selectOption("#pinterest-board_id-choice", { label: BOARD.name });
  await page.selectOption("#pinterest-board_section_id-choice", { label: BOARD.section });
  await page.locator("#extras summary").click();
  await page.fill("#first-comment", COMMENT);
  const openOwn = (platform: Platform) => page.locator(`[data-own="${getId(platform)}"] summary`).click();
  await openOwn("bluesky");
  await page.fill(`#own-caption-${getId("bluesky")}`, forBluesky);
  await page.selectOption(`#own-choice-${getId("bluesky")}`, "none");
  await openOwn("threads");
  await page.fill(`#own-caption-${getId("threads")}`, FOR_THREADS);
  const card = page.locator(".preview.bluesky .link-card");
  await card.getByText("North Light — the harbour").waitFor();
  assert.equal(await page.locator(".preview").count(), PLATFORMS.length);
  await page.locator("#result h2", { hasText: "Everything fits" }).waitFor();
  await look("1280");
  await page.setViewportSize({ width: 390, height: 844 });
  await requireFit(page);
  await look("390");
  assert.deepEqual(await findViolations(page), []);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.locator("#publish", { hasText: "Schedule" }).click();
  await page.waitForURL((url) => url.pathname === `${base}/queue`);
  const find = async () => {
    const { posts } = await call<{ posts: Stored[] }>("GET", "/posts?limit=100", undefined);
    return posts.filter(({ caption }) => caption === CAPTION);
  };
  const [post, ...more] = await find();
  assert.ok(post);
  assert.deepEqual(more, []);
  assert.deepEqual([post.accounts.total, post.scheduled_at], [PLATFORMS.length, slot.toISOString()]);
  log("scheduled one post to five accounts; the preview showed the card of its link");

  await waitFor(async () => (await find())[0]?.status === "posted", 5 * MINUTE_MS);
  const listOut = async (): Promise<Partial<Record<string, Published[]>>> => {
    const all: Record<string, Published[]> = await (await fetch(`${networksUrl}/_published`)).json();
    const isOfPost = ({ at }: Published) => Date.parse(at) >= slot.getTime();
    return Object.fromEntries(PLATFORMS.map((name) => [name, (all[name] ?? []).filter(isOfPost)]));
  };
  const describe = ({ caption, media, parent }: Published) => ({
    ...{ caption, alt: media.map(({ alt_text }) => alt_text), isComment: parent !== undefined },
  });
  const whole = { caption: CAPTION, alt: [ALT], isComment: false };
  const comment = { caption: COMMENT, alt: [], isComment: true };
  const out = await listOut();
  assert.deepEqual(Object.fromEntries(PLATFORMS.map((name) => [name, out[name]?.map(describe)])), {
    instagram: [whole, comment],
    pinterest: [whole],
    bluesky: [{ ...whole, caption: forBluesky, alt: out.bluesky?.[0]?.media.map(() => undefined) }, comment],
    threads: [{ ...whole, caption: FOR_THREADS }, comment],
    facebook: [whole, comment],
  });
  assert.equal(out.bluesky?.[0]?.kind, "app.bsky.embed.external");
  const { board_id, board_section_id } = out.pinterest?.[0]?.settings ?? {};
  assert.deepEqual([board_id, board_section_id], [BOARD.id, BOARD.sectionId]);
  log("the networks have what was written: captions, picture, alternative text, board, card and first comments");

  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto(`${base}/posts/${post.id}`);
  await page.locator("summary", { hasText: "Take down" }).click();
  await page.locator("form[action$=unpublish] button").click();
  await page.getByText("Bluesky removed the post.").waitFor();
  const left = await listOut();
  assert.deepEqual(
    PLATFORMS.filter((name) => left[name]?.some(({ parent }) => parent === undefined)),
    ["instagram"],
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await requireFit(page);
  await look("taken-down-390");
  await page.setViewportSize({ width: 1280, height: 720 });
  await call("PUT", `/accounts/${getId("instagram")}/slots`, { time_zone: "UTC", slots: [] });
  log("it was taken down from four networks; Instagram's is removed by hand, as the page says");
}
