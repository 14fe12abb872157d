import { setTimeout as sleep } from "node:timers/promises";
import type { Locator } from "playwright-core";
import { at } from "../../lib/shared/at.ts";

type Box = NonNullable<Awaited<ReturnType<Locator["boundingBox"]>>>;

const PAUSE_MS = 50;

/** Waits for a condition outside of the page: its Content-Security-Policy permits no `page.waitForFunction`. */
export async function waitFor(condition: () => Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`This did not become true within ${timeoutMs} ms: ${condition}`);
    await sleep(PAUSE_MS);
  }
}

/** The place of an element on the page. One that is being replaced has none for a moment. */
export async function readBox(element: Locator): Promise<Box> {
  const found: Box[] = [];
  await waitFor(async () => {
    const box = await element.boundingBox();
    if (box) found.push(box);
    return box !== null;
  });
  return at(found, 0);
}
