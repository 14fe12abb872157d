// File, project, captions, corrected, cut, exported: by keyboard alone with a reload in the middle of each step, then by touch.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { createSpokenVideo } from "../transcription/spoken-video.ts";
import type { Call } from "./call-api.ts";
import { openPhone, requireFit } from "./hands.ts";
import type { World } from "./journey.ts";
import { tabTo } from "./keyboard.ts";
import type { SampleProject } from "./sample-project.ts";
import { waitFor } from "./wait-for.ts";

const CAPTIONS_TIMEOUT_MS = 60_000;
const NAME = "spoken.mov";
/** Words that the local recogniser knows. */
const WORDS = ["hello", "and", "welcome", "to", "the", "show", "today"].map((text, at) => ({
  ...{ text, startMs: 500 + at * 500, endMs: 800 + at * 500 },
}));

export async function runProjectJourney(
  browser: Browser,
  page: Page,
  base: string,
  call: Call,
  { origin, log }: World,
): Promise<void> {
  const buffer = await createSpokenVideo(6_000, WORDS);
  await page.goto(`${base}/files`);
  await page.setInputFiles("#upload", { name: NAME, mimeType: "video/quicktime", buffer: Buffer.from(buffer) });
  const card = page.locator(`.file[data-name="${NAME}"]`).first();
  await card.waitFor({ timeout: CAPTIONS_TIMEOUT_MS });
  await page.reload();
  await tabTo(page, page.locator(`.file[data-name="${NAME}"] > input`));
  await page.keyboard.press("Space");
  await tabTo(page, page.locator("#chosen-actions button[value=project]"));
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/projects\/[\w-]{36}$/);
  const path = `/editor/projects/${page.url().split("/").at(-1)}`;
  const read = () => call<SampleProject>("GET", path, undefined);
  await page.reload();
  await page.getByRole("heading", { name: "spoken" }).waitFor();
  log("made a project of an uploaded file");

  const write = async () => {
    await tabTo(page, page.locator(".write-captions summary"));
    await page.keyboard.press("Enter");
    await tabTo(page, page.locator(".write-captions button"));
    await page.keyboard.press("Enter");
  };
  await write();
  await page.reload();
  if ((await page.locator(".texts li").count()) === 0) await write();
  await page.locator(".texts li").first().waitFor({ timeout: CAPTIONS_TIMEOUT_MS });
  await page.locator(".word", { hasText: "welcome" }).first().waitFor();
  log("wrote captions from speech, with a reload while it listened");

  await tabTo(page, page.locator(".texts a"));
  await page.keyboard.press("Enter");
  await page.locator("#edit textarea:focus").waitFor();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Hello, and welcome");
  await page.reload();
  await page.locator("#edit textarea").waitFor();
  await waitFor(async () => (await page.inputValue("#edit textarea")) === "Hello, and welcome");
  await page.locator("#edit textarea").focus();
  await page.keyboard.press("Enter");
  await waitFor(async () => (await read()).text_clips[0]?.text === "Hello, and welcome");
  log("corrected a caption; what was typed outlived a reload");

  const [, second] = (await read()).text_clips;
  await waitFor(async () => (await page.inputValue("#edit textarea")) === second?.text);
  await page.locator("#edit textarea:focus").waitFor();
  await page.fill("#edit input[name=start]", "2.25");
  await page.locator("#edit input[name=start]").press("Enter");
  await waitFor(async () => (await read()).text_clips[1]?.start_ms === 2_250);
  log("Enter went on to the next caption, whose time was corrected");

  await tabTo(page, page.locator(".word"));
  await page.keyboard.press("Enter");
  await page.locator(".overlay", { hasText: "Hello, and welcome" }).waitFor();
  log("a word of what was said showed its place in the player");

  await tabTo(page, page.locator(".bar.clip"));
  await page.keyboard.press("Enter");
  await page.locator("#edit input[name=at]").fill("2");
  await tabTo(page, page.locator("#edit button[value=split]"));
  await page.keyboard.press("Enter");
  await waitFor(async () => (await read()).clips.length === 2);
  await page.reload();
  await page.locator(".bar.clip").nth(1).press("Enter");
  const later = (await read()).clips[1];
  await page.locator(`#edit form[action$="${later?.clip_id}"] input:focus`).waitFor();
  await page.locator("#edge-until").focus();
  const before = later?.end_ms ?? 0;
  for (let press = 0; press < 3; press++) await page.keyboard.press("ArrowLeft");
  await waitFor(async () => (await read()).clips[1]?.end_ms === before - 300);
  log("split a clip and moved its end with the arrow keys");

  await page.locator("#edit button[value=close-gap]").press("Enter");
  await waitFor(async () => (await read()).clips.length === 1);
  await page.locator(".toast button", { hasText: "Undo" }).press("Enter");
  await waitFor(async () => (await read()).clips.length === 2);
  log("removed a clip, and brought it back with Undo");

  await page.reload();
  const download = page.waitForEvent("download");
  await tabTo(page, page.locator('a[href$="captions.srt"]'));
  await page.keyboard.press("Enter");
  const text = await readFile((await (await download).path()) ?? "", "utf8");
  assert.match(text, /^1\r\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\r\nHello, and welcome\r\n\r\n2\r\n00:00:02,250 --> /);
  log("exported the corrected captions as SRT");

  const context = await openPhone(browser, origin, page.context());
  const phone = await context.newPage();
  await phone.goto(`${base}${path.replace("/editor", "")}`);
  await phone.locator(".texts a").first().tap();
  await phone.locator("#edit textarea").fill("Welcome");
  await phone.reload();
  await waitFor(async () => (await phone.inputValue("#edit textarea")) === "Welcome");
  await phone.getByRole("button", { name: "Save", exact: true }).tap();
  await waitFor(async () => (await read()).text_clips[0]?.text === "Welcome");
  await phone.locator(".bar.clip").first().tap();
  await phone.locator("#edit input[name=at]").fill("1");
  await phone.getByRole("button", { name: "Split here" }).tap();
  await waitFor(async () => (await read()).clips.length === 3);
  await requireFit(phone);
  await context.close();
  log("corrected a caption and split a clip by touch at 390 px");
}
