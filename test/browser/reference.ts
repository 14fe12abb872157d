// The reference page in a browser: what is transferred, when its first content is there, and pictures to look at.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page, Request } from "playwright-core";
import { findViolations } from "./axe.ts";

const MAX_COMPRESSED_BYTES = 500 * 1024;
const MAX_FIRST_CONTENT_MS = 1_500;
const GUIDES = ["authentication", "idempotency-and-retries", "life-of-a-post"];
const OPERATIONS = ["posts-create", "posts-get", "accounts-list"];
const LOADS = 5;

/** Returns what is wrong, and prints the figures. */
export async function checkReference(
  browser: Browser,
  origin: string,
  folder: string,
  log: (line: string) => void,
): Promise<string[]> {
  const loads: Load[] = [];
  for (let round = 0; round < LOADS; round++) loads.push(await measureLoad(browser, origin));
  const [fastest = { ms: 0, bytes: 0, foreign: [] }] = loads.toSorted((a, b) => a.ms - b.ms);
  const times = loads.map(({ ms }) => Math.round(ms)).join(", ");
  log(`reference: first content after ${times} ms; ${(fastest.bytes / 1024).toFixed(1)} KiB compressed`);
  return [
    ...(fastest.ms > MAX_FIRST_CONTENT_MS ? [`First content after ${fastest.ms} ms at best.`] : []),
    ...(fastest.bytes > MAX_COMPRESSED_BYTES ? [`${fastest.bytes} bytes are transferred.`] : []),
    ...fastest.foreign.map((url) => `The page loads ${url}.`),
    ...(await takePictures(browser, origin, folder)),
  ];
}

interface Load {
  ms: number;
  /** Compressed, as the edge sends texts: https://developers.cloudflare.com/speed/optimization/content/compression/, read 2026-11-29. */
  bytes: number;
  /** URLs of other hosts that were requested. */
  foreign: string[];
}

/** With an empty cache. */
async function measureLoad(browser: Browser, origin: string): Promise<Load> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const foreign: string[] = [];
  const sizes: Promise<number>[] = [];
  page.on("request", (request) => {
    if (!/^data:/.test(request.url()) && !request.url().startsWith(origin)) foreign.push(request.url());
  });
  page.on("requestfinished", (request) => {
    sizes.push(measureCompressed(request));
  });
  await page.goto(`${origin}/docs`, { waitUntil: "networkidle" });
  const ms = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.POSITIVE_INFINITY,
  );
  // The body of a request that ends later cannot be read from a closed page.
  page.removeAllListeners("requestfinished");
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await context.close();
  return { ms, bytes, foreign };
}

async function measureCompressed(request: Request): Promise<number> {
  const body = await (await request.response())?.body();
  return body ? Math.min(gzipSync(body).length, body.length) : 0;
}

/** Three guides and three operations, on a desktop and on a phone; what is wider than the phone or inaccessible is a problem. */
async function takePictures(browser: Browser, origin: string, folder: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [device, viewport] of [
    ["desktop", { width: 1440, height: 900 }],
    ["phone", { width: 390, height: 844 }],
  ] as const) {
    const context = await browser.newContext({ viewport, colorScheme: "light" });
    const page = await context.newPage();
    page.on("pageerror", (error) => problems.push(`${device}: ${error.message}`));
    await page.goto(`${origin}/docs`, { waitUntil: "networkidle" });
    for (const id of [...GUIDES, ...OPERATIONS]) {
      const found = await scrollTo(page, id);
      if (!found) problems.push(`The page has no section ${id}.`);
      await page.screenshot({ path: join(folder, `reference-${id}-${device}.png`) });
    }
    problems.push(...(await checkRequests(page)).map((problem) => `${device}: ${problem}`));
    problems.push(...(await findViolations(page)).map((violation) => `${device}: ${violation}`));
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (overflow > 0) problems.push(`The reference is ${overflow} pixels wider than a ${device}.`);
    await context.close();
  }
  return problems;
}

/** False if there is no such section. Sections are laid out when they come into view, which moves those below them. */
async function scrollTo(page: Page, id: string): Promise<boolean> {
  const section = page.locator(`[id="${id}"]`);
  if ((await section.count()) === 0) return false;
  for (let pass = 0; pass < 3; pass++) {
    await page.evaluate(`document.getElementById(${JSON.stringify(id)}).scrollIntoView({ behavior: "instant" })`);
    await page.waitForTimeout(200);
  }
  return true;
}

/** Choosing a language in one request shows it in all, with the address of this host; a click copies what is shown. */
async function checkRequests(page: Page): Promise<string[]> {
  await page.locator("#posts-create select").first().selectOption("Python");
  const request = page.locator("#accounts-list figure").first();
  const shown = await request
    .locator("code:not([hidden])")
    .evaluateAll((codes) => codes.map((code) => code.textContent));
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await request.getByRole("button", { name: "Copy" }).click();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  const expected = `requests.get(\n    "${new URL(page.url()).origin}/api/partner/v1/accounts"`;
  return [
    ...(shown.length === 1 && shown[0]?.includes(expected) ? [] : [`The request in Python is ${shown.join(" and ")}`]),
    ...(copied === shown[0] ? [] : [`Copied is ${copied}`]),
  ];
}
