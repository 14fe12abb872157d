import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 50;

/** Waits for a condition outside of the page: its Content-Security-Policy permits no `page.waitForFunction`. */
export async function waitFor(condition: () => Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`This did not become true within ${timeoutMs} ms: ${condition}`);
    await sleep(PAUSE_MS);
  }
}
