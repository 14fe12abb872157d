// Looks at pages on a phone and a desk, light and dark: screenshot, accessibility, paint and script size.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { findViolations } from "./axe.ts";

const WIDTHS = [
  [390, 844],
  [1440, 900],
] as const;
/** README's pictures, as a window shows them. */
const PICTURED = new Set(["queue", "compose-filled", "projects-text"]);
/** Not that of the server. */
export const TIME_ZONE = "Europe/Oslo";
const SCHEMES = ["light", "dark"] as const;
const MAX_PAINT_MS = 1000;
const MAX_SCRIPT_KIB = 60;

interface Measured {
  paintMs: number;
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
  for (const { name, path, isPublic, prepare } of pages) {
    const measured: Measured[] = [];
    for (const [width, height] of WIDTHS) {
      for (const colorScheme of SCHEMES) {
        const context = await browser.newContext({
          ...{ viewport: { width, height }, colorScheme, baseURL: origin, bypassCSP: true, timezoneId: TIME_ZONE },
          ...(isPublic ? {} : { storageState: session }),
        });
        // A page in another time zone is loaded a second time.
        const { hostname: domain } = new URL(origin);
        if (!isPublic) await context.addCookies([{ name: "tz", value: TIME_ZONE, domain, path: "/dashboard" }]);
        const page = await context.newPage();
        const result = await measurePage(page, path, prepare);
        if (PICTURED.has(name) && width > 1000 && colorScheme === "light") {
          await page.evaluate("scrollTo(0, 0)");
          await page.screenshot({ path: join(folder, `readme-${name}.png`) });
        }
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        problems.push(...result.violations.map((violation) => `${name} ${width} ${colorScheme}: ${violation}`));
        measured.push(result);
        await context.close();
      }
    }
    const paints = measured.map((one) => one.paintMs);
    // The fastest of the four loads, since other load of the machine only adds time.
    const paintMs = Math.min(...paints);
    const scriptKiB = Math.max(...measured.map((one) => one.scriptKiB));
    if (paintMs > MAX_PAINT_MS) problems.push(`${name}: the largest paint is after ${paintMs} ms.`);
    if (scriptKiB > MAX_SCRIPT_KIB) problems.push(`${name}: ${scriptKiB} KiB of script.`);
    const violations = measured.reduce((sum, one) => sum + one.violations.length, 0);
    table[name] = {
      "largest paint ms": paintMs,
      "of the slowest load": Math.max(...paints),
      "script KiB gzip": scriptKiB,
      "axe violations": violations,
    };
  }
  console.table(table);
  return problems;
}

async function measurePage(page: Page, path: string, prepare: ListedPage["prepare"]): Promise<Measured> {
  const scripts: Promise<number>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    scripts.push(response.body().then((body) => gzipSync(body).length));
  });
  const response = await page.goto(path, { waitUntil: "load" });
  if (!response?.ok()) throw new Error(`${path} responded with ${response?.status()}`);
  const bytes = (await Promise.all(scripts)).reduce((sum, one) => sum + one, 0);
  const paintMs = (await page.evaluate(READ_LARGEST_PAINT)) as number;
  await prepare?.(page);
  const violations = await findViolations(page);
  return { paintMs: Math.round(paintMs), scriptKiB: Math.round(bytes / 102.4) / 10, violations };
}

/** An expression for the page. */
const READ_LARGEST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
    type: "largest-contentful-paint",
    buffered: true,
  });
  setTimeout(() => resolve(Infinity), 5_000);
})`;
