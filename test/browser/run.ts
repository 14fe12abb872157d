// `npx node test/browser/run.ts`: people's way through the dashboard in a real browser, then every page looked at and measured.
// On a local stack of its own. Screenshots are in `.bench/browser`. `-- --pages` leaves the journey out, `-- --reference` looks
// at the reference page alone.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runOnTemporaryStack } from "../local/temporary-stack.ts";
import { findChromium, openChromium } from "../support/chromium.ts";
import { runAnalyticsJourney } from "./analytics-journey.ts";
import { runCalendarJourney } from "./calendar-journey.ts";
import { createCaller } from "./call-api.ts";
import { runClockJourney } from "./clock-journey.ts";
import { runComposerJourney } from "./composer-journey.ts";
import { runDraftsJourney } from "./drafts-journey.ts";
import { runEditorJourney } from "./editor-journey.ts";
import { runFilesJourney } from "./files-journey.ts";
import { runJourney, signIn, usePasskey } from "./journey.ts";
import { runNotificationsJourney } from "./notifications-journey.ts";
import { checkPages } from "./pages.ts";
import { runProjectJourney } from "./project-journey.ts";
import { checkReference } from "./reference.ts";
import { fillWorkspace } from "./sample-posts.ts";
import { runSignInJourney } from "./sign-in-journey.ts";
import { runSlideshowJourney } from "./slideshow-journey.ts";
import { runUploadJourney } from "./upload-journey.ts";

const SCREENSHOTS = join(import.meta.dirname, "../../.bench/browser");
/** `npm start` runs cron each minute; this stack has no clock of its own. */
const CRON_MS = 10_000;

const flag = { type: "boolean", default: false } as const;
const { values } = parseArgs({ options: { pages: flag, reference: flag } });
const started = Date.now();
const log = (line: string) => console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);

if (!findChromium()) {
  console.log("Skipped: no Chromium is installed. On Debian: apt-get install chromium.");
  process.exit(0);
}

await runOnTemporaryStack("browser", log, async ({ stack, worker }) => {
  await rm(SCREENSHOTS, { recursive: true, force: true });
  await mkdir(SCREENSHOTS, { recursive: true });
  const cron = setInterval(() => void worker.runCron().catch(() => undefined), CRON_MS);
  const browser = await openChromium();
  try {
    const problems = await checkReference(browser, worker.url, SCREENSHOTS, log);
    if (values.reference) return report(problems);
    const world = { origin: worker.url, mailsUrl: `${stack.mail.url}/_mails`, networksUrl: stack.networks.url, log };
    const context = await browser.newContext({ baseURL: worker.url });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    try {
      await runSignInJourney(browser, world);
      const base = await signIn(page, world);
      await usePasskey(browser, world);
      const call = createCaller(worker.url, stack.seed.keys.workspace);
      await runEditorJourney(page, call, world);
      await runNotificationsJourney(page, base, call, world);
      await runAnalyticsJourney(browser, page, base, world);
      await runSlideshowJourney(browser, page, base, call, world);
      await runUploadJourney(page, base, call, world);
      await runFilesJourney(browser, page, base, call, world);
      await runProjectJourney(browser, page, base, call, world);
      await runCalendarJourney(page, base, call, world);
      await runClockJourney(browser, page, base, call, world);
      await runDraftsJourney(page, base, call, world);
      await runComposerJourney(browser, page, base, call, world);
      if (!values.pages) await runJourney(page, base, world);
      await fillWorkspace(worker.url, stack.seed, stack.receiver.url);
      problems.push(...(await checkPages(browser, await context.storageState(), base, SCREENSHOTS)));
      return report(problems);
    } catch (error) {
      await page.screenshot({ path: join(SCREENSHOTS, "failed.png"), fullPage: true }).catch(() => undefined);
      console.error(`At ${page.url()}; see ${join(SCREENSHOTS, "failed.png")}`);
      throw error;
    }
  } finally {
    clearInterval(cron);
    await browser.close();
  }
});

function report(problems: string[]): "passed" | "failed" {
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? "passed" : "failed";
}
