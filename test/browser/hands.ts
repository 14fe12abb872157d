// One way through the dashboard, walked twice: with the keyboard alone, and by touch on a phone.
import assert from "node:assert/strict";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { pressEnter, tabTo } from "./keyboard.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

export interface Hands {
  name: string;
  press(page: Page, element: Locator): Promise<void>;
  /** Ticks a box. */
  tick(page: Page, box: Locator): Promise<void>;
  /** Replaces what a field contains. */
  write(page: Page, field: Locator, text: string): Promise<void>;
}

export const KEYBOARD: Hands = {
  name: "keyboard",
  press: pressEnter,
  async tick(page, box) {
    await tabTo(page, box);
    await page.keyboard.press("Space");
  },
  async write(page, field, text) {
    await tabTo(page, field);
    await page.keyboard.press("Control+A");
    await page.keyboard.type(text);
  },
};

export const TOUCH: Hands = {
  name: "touch at 390 px",
  press: (_, element) => element.first().tap(),
  tick: (_, box) => box.first().tap(),
  async write(_, field, text) {
    await field.first().tap();
    await field.first().fill(text);
  },
};

/** A phone of somebody: with the session of `signedIn`, or of nobody. */
export async function openPhone(browser: Browser, baseURL: string, signedIn?: BrowserContext): Promise<BrowserContext> {
  const session = signedIn ? { storageState: await signedIn.storageState() } : {};
  return browser.newContext({ ...PHONE, baseURL, ...session });
}

/** Fails when the page scrolls sideways. */
export async function requireFit(page: Page): Promise<void> {
  const excess = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  assert.ok(excess <= 0, `${page.url()} is ${excess} px wider than the screen`);
}
