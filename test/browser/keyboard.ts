// Steps with the keyboard alone.
import type { Locator, Page } from "playwright-core";

/** Pages of this dashboard have fewer places to stop at. */
const MAX_STOPS = 250;

/** Presses Tab until the element has the focus; throws if it cannot be reached. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.first().waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    const isFocused = await element.first().evaluate((one) => one === one.ownerDocument.activeElement);
    if (isFocused) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${element}`);
}

export async function pressEnter(page: Page, element: Locator): Promise<void> {
  await tabTo(page, element);
  await page.keyboard.press("Enter");
}
