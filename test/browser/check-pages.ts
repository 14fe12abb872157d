// Looks at pages on a phone and a desk, light and dark: screenshot, accessibility, paint and script size.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { at } from "../../lib/shared/at.ts";
import { findViolations } from "./axe.ts";

const WIDTHS = [
  [390, 844],
  [1440, 900],
] as const;
/** README's pictures, as a window shows them. */
const PICTURED = new Set(["queue", "compose-filled", "projects-text"]);
/** Of the browser and of the workspace in use: not that of the server. */
export const TIME_ZONE = "Europe/Oslo";
const SCHEMES = ["light", "dark"] as const;
type Scheme = (typeof SCHEMES)[number];
const MAX_PAINT_MS = 1000;
const MAX_LOADS = 12;
const MAX_SCRIPT_KIB = 60;

/** From the start of the navigation. */
interface Paint {
  firstByteMs: number;
  largestMs: number;
}

interface Measured {
  scriptKiB: number;
  violations: string[];
}

export interface ListedPage {
  name: string;
  path: string;
  /** For people who are signed out. */
  isPublic?: boolean;
  /** Brings the page into the state that is looked at. */
  prepare?(page: Page): Promise<void>;
}

/** Prints a table, and returns what is over a limit or not accessible, one sentence each. */
export async function checkPages(
  signedIn: BrowserContext,
  origin: string,
  pages: ListedPage[],
  folder: string,
): Promise<string[]> {
  const browser = signedIn.browser() as Browser;
  const session = await signedIn.storageState();
  const problems: string[] = [];
  const table: Record<string, object> = {};
  const open = async ({ isPublic }: ListedPage, [width, height]: (typeof WIDTHS)[number], colorScheme: Scheme) => {
    const context = await browser.newContext({
      ...{ viewport: { width, height }, colorScheme, baseURL: origin, bypassCSP: true, timezoneId: TIME_ZONE },
      ...(isPublic ? {} : { storageState: session }),
    });
    return context.newPage();
  };
  for (const listed of pages) {
    const { name } = listed;
    const measured: Measured[] = [];
    const paints: Paint[] = [];
    for (const size of WIDTHS) {
      for (const colorScheme of SCHEMES) {
        const page = await open(listed, size, colorScheme);
        const result = await measurePage(page, listed, paints);
        const [width] = size;
        if (PICTURED.has(name) && width > 1000 && colorScheme === "light") {
          await page.evaluate("scrollTo(0, 0)");
          await page.screenshot({ path: join(folder, `readme-${name}.png`) });
        }
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        problems.push(...result.violations.map((violation) => `${name} ${width} ${colorScheme}: ${violation}`));
        measured.push(result);
        await page.context().close();
      }
    }
    // The fastest load counts, since other load of the machine only adds time; a page that seems slow gets more of them.
    const getPaint = () => Math.min(...paints.map(({ largestMs }) => largestMs));
    while (getPaint() > MAX_PAINT_MS && paints.length < MAX_LOADS) {
      const page = await open(listed, at(WIDTHS, paints.length % WIDTHS.length), "light");
      await loadPage(page, listed.path, paints);
      await page.context().close();
    }
    const paintMs = getPaint();
    const scriptKiB = Math.max(...measured.map((one) => one.scriptKiB));
    if (paintMs > MAX_PAINT_MS) problems.push(`${name}: the largest paint is after ${paintMs} ms.`);
    if (scriptKiB > MAX_SCRIPT_KIB) problems.push(`${name}: ${scriptKiB} KiB of script.`);
    const violations = measured.reduce((sum, one) => sum + one.violations.length, 0);
    table[name] = {
      "first byte ms": Math.min(...paints.map(({ firstByteMs }) => firstByteMs)),
      "largest paint ms": paintMs,
      "of the slowest load": Math.max(...paints.map(({ largestMs }) => largestMs)),
      "script KiB gzip": scriptKiB,
      "axe violations": violations,
    };
  }
  console.table(table);
  return problems;
}

async function measurePage(page: Page, { path, prepare }: ListedPage, paints: Paint[]): Promise<Measured> {
  const scripts: Promise<number>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    scripts.push(response.body().then((body) => gzipSync(body).length));
  });
  await loadPage(page, path, paints);
  const bytes = (await Promise.all(scripts)).reduce((sum, one) => sum + one, 0);
  await prepare?.(page);
  return { scriptKiB: Math.round(bytes / 102.4) / 10, violations: await findViolations(page) };
}

async function loadPage(page: Page, path: string, paints: Paint[]): Promise<void> {
  const response = await page.goto(path, { waitUntil: "load" });
  if (!response?.ok()) throw new Error(`${path} responded with ${response?.status()}`);
  const largestMs = Math.round(await page.evaluate<number>(READ_LARGEST_PAINT));
  const firstByteMs = Math.round(await page.evaluate<number>(READ_FIRST_BYTE));
  paints.push({ firstByteMs, largestMs });
}

const READ_FIRST_BYTE = 'performance.getEntriesByType("navigation")[0].responseStart';

/** An expression for the page. */
const READ_LARGEST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
    type: "largest-contentful-paint",
    buffered: true,
  });
  setTimeout(() => resolve(Infinity), 5_000);
})`;
