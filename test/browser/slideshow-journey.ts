// Changing slides: with the arrow keys, in two windows on the same slideshow, and by a drag on a phone.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { Slideshow } from "../../lib/schemas/slideshow.ts";
import type { Call } from "./call-api.ts";
import { openPhone, requireFit } from "./hands.ts";
import type { World } from "./journey.ts";
import { readBox, waitFor } from "./wait-for.ts";

const SLIDESHOW_URL = /\/slideshows\/[0-9a-f-]{36}$/;

interface Step {
  page: Page;
  call: Call;
  log: World["log"];
}

export async function runSlideshowJourney(browser: Browser, page: Page, base: string, call: Call, world: World) {
  const slides = ["One shelf", "One lamp", "One chair", "One plant", "One window"].map((content) => ({
    text_elements: [{ content, x: 50, y: 40 }],
    image_url: null,
  }));
  const { id } = await call<Slideshow>("POST", "/slideshows", { title: "Calm habits", slides });
  const path = `${base}/slideshows/${id}`;
  const step = { page, call, log: world.log };
  await page.goto(path);
  await page.locator(".text-box").first().waitFor();
  await changeByKeyboard(step);
  await previewDarkEmoji(step, base);
  await page.goto(path);
  await changeInTwoWindows(browser, step);
  const context = await openPhone(browser, world.origin, page.context());
  const phone = await context.newPage();
  await phone.goto(path);
  await dragByTouch({ ...step, page: phone });
  await context.close();
}

const read = ({ page, call }: Pick<Step, "page" | "call">): Promise<Slideshow> =>
  call("GET", `/slideshows/${new URL(page.url()).pathname.split("/").at(-1)}`, undefined);

const waitUntilSaved = (page: Page) => page.locator("#save-state", { hasText: /^Saved$/ }).waitFor();

/** Chromium strokes no letters that have colours of their own: a black heart on a black slide would not be seen. */
async function previewDarkEmoji({ page, call, log }: Step, base: string): Promise<void> {
  const slides = [{ text_elements: [{ content: "🖤", x: 50, y: 50, font_size: 200 }], image_url: null }];
  const { id } = await call<Slideshow>("POST", "/slideshows", { title: "Heart", slides });
  await page.goto(`${base}/slideshows/${id}`);
  await page.locator(".slide-text span").first().waitFor();
  const shown = (await page.locator(".text-box").first().screenshot()).toString("base64");
  const light = await page.evaluate<number>(`(async () => {
    const bytes = Uint8Array.from(atob("${shown}"), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let light = 0;
    for (let at = 0; at < data.length; at += 4) if (Math.min(data[at], data[at + 1], data[at + 2]) > 200) light++;
    return light;
  })()`);
  assert.ok(light > 100, `a black heart has ${light} light pixels around it`);
  log("the preview of a slide outlines a dark emoji, as the renderer does");
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).focus();
  await page.keyboard.press("Enter");
}

async function changeByKeyboard({ page, call, log }: Step): Promise<void> {
  const [before] = (await read({ page, call })).slides;
  await page.locator(".text-box").first().focus();
  for (const key of ["ArrowDown", "ArrowDown", "Shift+ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
  // Before the change is stored.
  await page.reload();
  await page.locator(".text-box").first().waitFor();
  await waitUntilSaved(page);
  const [moved] = (await read({ page, call })).slides;
  const [from, to] = [before?.text_elements[0], moved?.text_elements[0]];
  assert.ok(from && to);
  assert.deepEqual([Math.round((to.x - from.x) * 10), Math.round((to.y - from.y) * 10)], [5, 60]);
  log("moved a text with the arrow keys, over a reload before it was stored");

  await page.locator(".text-box").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".text-edit").waitFor();
  await page.keyboard.type("Begin with one shelf");
  await page.keyboard.press("Escape");
  await page.locator(".text-box:focus").waitFor();
  await waitFor(
    async () => (await read({ page, call })).slides[0]?.text_elements[0]?.content === "Begin with one shelf",
  );
  await page.locator("#strip button").first().focus();
  await page.keyboard.press("Alt+ArrowRight");
  await waitFor(
    async () => (await read({ page, call })).slides[1]?.text_elements[0]?.content === "Begin with one shelf",
  );
  await press(page, "Delete the slide");
  await waitFor(async () => (await read({ page, call })).slides.length === 4);
  await page.locator(".toast button", { hasText: "Undo" }).focus();
  await page.keyboard.press("Enter");
  await waitFor(async () => (await read({ page, call })).slides.length === 5);
  log("changed the words in place, moved the slide, deleted it and took that back");
}

async function changeInTwoWindows(browser: Browser, { page, call, log }: Step): Promise<void> {
  await waitUntilSaved(page);
  const storageState = await page.context().storageState();
  const context = await browser.newContext({ baseURL: new URL(page.url()).origin, storageState });
  const other = await context.newPage();
  await other.goto(page.url());
  await other.locator(".text-box").first().waitFor();
  await press(other, "Add a text");
  await other.keyboard.type("Theirs");
  await waitUntilSaved(other);
  await press(page, "Add a text");
  await page.keyboard.type("Mine");
  await page.locator("dialog", { hasText: "was changed in another window" }).waitFor();
  const listTexts = async () => (await read({ page, call })).slides.flatMap((slide) => slide.text_elements);
  assert.ok((await listTexts()).some(({ content }) => content === "Theirs"));
  // Nothing is lost by a reload before the choice.
  await page.reload();
  const dialog = page.locator("dialog", { hasText: "was changed in another window" });
  await dialog.waitFor();
  await press(page, "Keep both: mine becomes a copy");
  await dialog.waitFor({ state: "detached" });
  const original = other.url();
  await page.waitForURL((url) => SLIDESHOW_URL.test(url.pathname) && url.href !== original);
  await page.locator(".text-box").first().waitFor();
  assert.ok((await listTexts()).some(({ content }) => content === "Mine"));
  await context.close();
  log("of two windows on one slideshow, both versions stayed");
}

async function dragByTouch({ page, call, log }: Step): Promise<void> {
  const text = page.locator(".text-box").first();
  await text.waitFor();
  await requireFit(page);
  const before = (await read({ page, call })).slides[0]?.text_elements[0];
  await text.scrollIntoViewIfNeeded();
  const box = await readBox(text);
  assert.ok(before);
  const cdp = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x: number, y: number) =>
    cdp.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await touch("touchStart", x, y);
  for (let at = 1; at <= 5; at++) await touch("touchMove", x, y - at * 12);
  await touch("touchEnd", x, y - 60);
  await waitFor(async () => ((await read({ page, call })).slides[0]?.text_elements[0]?.y ?? 0) < before.y - 5);
  log("dragged a text by touch on a phone");
}
