// Every page of the dashboard on a phone and a desk, light and dark: screenshot, accessibility, paint and script size.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { DEMO_VIDEO } from "../files/upload-file.ts";
import { findViolations } from "./axe.ts";

const WIDTHS = [
  [390, 844],
  [1440, 900],
] as const;
/** README's pictures, as a window shows them. */
const PICTURED = new Set(["queue", "compose-filled", "projects-text"]);
/** Not that of the server. */
const TIME_ZONE = "Europe/Oslo";
const SCHEMES = ["light", "dark"] as const;
const MAX_PAINT_MS = 1000;
const MAX_SCRIPT_KIB = 60;

interface Measured {
  paintMs: number;
  scriptKiB: number;
  violations: string[];
}

type StorageState = BrowserContextOptions["storageState"];

/** Prints a table, and returns what is over a limit or not accessible, one sentence each. */
export async function checkPages(
  browser: Browser,
  session: StorageState,
  base: string,
  folder: string,
): Promise<string[]> {
  const { origin } = new URL(browser.contexts()[0]?.pages()[0]?.url() ?? "");
  const pages = await listPages(browser, session, origin, base);
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

interface ListedPage {
  name: string;
  path: string;
  /** For people who are signed out. */
  isPublic?: boolean;
  /** Brings the page into the state that is looked at. */
  prepare?(page: Page): Promise<void>;
}

/** The sign-in page, what the navigation leads to, and the pages behind those. */
async function listPages(browser: Browser, session: StorageState, origin: string, base: string): Promise<ListedPage[]> {
  const context = await browser.newContext({ storageState: session, baseURL: origin });
  const page = await context.newPage();
  await page.goto(`${base}/queue`);
  const listPaths = (selector: string) =>
    page.locator(selector).evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const [nav, posts] = [await listPaths(".side nav a"), await listPaths("li.post h2 a")];
  const behind = await Promise.all(
    nav.map(async (path) => {
      const response = await context.request.get(path);
      const [, deeper] = (await response.text()).match(/href="([^"]+)" data-deeper/) ?? [];
      return deeper ? [{ name: `${getLastPart(path)}-one`, path: deeper }] : [];
    }),
  );
  const webhook = behind.flat().find(({ name }) => name === "webhooks-one")?.path;
  await page.goto(webhook ?? "");
  const [delivery] = await listPaths("#live li a");
  const project = behind.flat().find(({ name }) => name === "projects-one")?.path;
  const approval = await requestApproval(context, `${base}/queue?status=draft`);
  await context.close();
  return [
    { name: "sign-in", path: "/dashboard/sign-in", isPublic: true },
    { name: "approval", path: approval, isPublic: true, prepare: requireOwnTimes },
    ...nav.map((path) => ({ name: getLastPart(path), path })),
    { name: "passkeys", path: "/dashboard/passkeys" },
    { name: "notifications", path: `${base}/notifications` },
    { name: "analytics-posts", path: `${base}/analytics/posts` },
    { name: "trends-brief", path: `${base}/trends?keyword=skincare` },
    { name: "compose", path: `${base}/compose` },
    { name: "compose-filled", path: `${base}/compose`, prepare: fillComposer },
    ...posts.slice(0, 1).map((path) => ({ name: "post", path })),
    ...behind.flat(),
    ...(delivery ? [{ name: "webhooks-delivery", path: delivery }] : []),
    { name: "webhooks-new", path: `${base}/webhooks`, prepare: chooseTypes },
    ...(project ? [{ name: "projects-text", path: project, prepare: chooseCaption }] : []),
  ];
}

const getLastPart = (path: string) => path.split("/").at(-1) ?? "";

/** The path of an approval link for the first draft of the queue. */
async function requestApproval(context: BrowserContext, queue: string): Promise<string> {
  const page = await context.newPage();
  await page.goto(queue);
  await page.locator("li.post h2 a").first().click();
  await page.fill("input[name=recipient]", "Ann of Lofoten Knitwear");
  await page.getByRole("button", { name: "Get a link" }).click();
  const text = (await page.locator(".secret code").textContent()) ?? "";
  return new URL(text).pathname;
}

/** No cookie names the reader's time zone there. */
async function requireOwnTimes(page: Page): Promise<void> {
  await page.locator("time", { hasText: `(${TIME_ZONE})` }).waitFor();
}

/** A promoted video for TikTok and Instagram, as it is before it is published. */
async function fillComposer(page: Page): Promise<void> {
  await page.setInputFiles("#files", DEMO_VIDEO);
  await page.fill("#caption", "Before anybody is up, the pier belongs to the gulls.");
  for (const platform of ["tiktok", "instagram"]) {
    await page.locator(`input[data-platform=${platform}][data-type=byo]`).first().check();
  }
  await page.selectOption("#tiktok-privacy", "PUBLIC_TO_EVERYONE");
  await page.check("#tiktok-comment");
  await page.check("#tiktok-commercial");
  if (!(await page.isDisabled("#publish")))
    throw new Error("Publishing is possible before it is said what is promoted.");
  await page.check("#tiktok-branded");
  await page.locator("#uploads li[data-url]").waitFor();
  await page.locator("#result .preview canvas").first().waitFor();
  await page.getByText("Everything fits").first().waitFor();
}

async function chooseCaption(page: Page): Promise<void> {
  await page.locator(".texts a").nth(1).click();
  await page.locator("#edit textarea").waitFor();
}

/** The form of a new webhook with all its types. */
async function chooseTypes(page: Page): Promise<void> {
  await page.getByText("Add a webhook", { exact: true }).click();
  await page.getByText("Only these").click();
  await page.getByLabel("Post published").check();
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
