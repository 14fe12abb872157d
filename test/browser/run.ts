// `npx node test/browser/run.ts`: people's way through the dashboard in a real browser, then every page looked at and measured:
// in use, empty and full. On a local stack of its own. Screenshots are in `.bench/browser`. `-- --only idea,approval,empty` runs
// these parts alone.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runOnTemporaryStack } from "../local/temporary-stack.ts";
import { findChromium, openChromium } from "../support/chromium.ts";
import { runAgentJourney } from "./agent-journey.ts";
import { runAnalyticsJourney } from "./analytics-journey.ts";
import { runApprovalJourney } from "./approval-journey.ts";
import { runCalendarJourney } from "./calendar-journey.ts";
import { createCaller } from "./call-api.ts";
import { checkPages, type ListedPage, TIME_ZONE } from "./check-pages.ts";
import { runClockJourney } from "./clock-journey.ts";
import { runComposerJourney } from "./composer-journey.ts";
import { runConsentJourney } from "./consent-journey.ts";
import { runContentJourney } from "./content-journey.ts";
import { runDraftsJourney } from "./drafts-journey.ts";
import { runEditorJourney } from "./editor-journey.ts";
import { runFilesJourney } from "./files-journey.ts";
import { addVolume, createEmptyWorkspace } from "./full-workspace.ts";
import { runIdeaJourney } from "./idea-journey.ts";
import { runJourney, signIn, usePasskey } from "./journey.ts";
import { runNotificationsJourney } from "./notifications-journey.ts";
import { listEmptyPages, listFullPages, listPages } from "./pages.ts";
import { runProjectJourney } from "./project-journey.ts";
import { checkReference } from "./reference.ts";
import { fillWorkspace } from "./sample-posts.ts";
import { runSignInJourney } from "./sign-in-journey.ts";
import { runSlideshowJourney } from "./slideshow-journey.ts";
import { runTakedownJourney } from "./takedown-journey.ts";
import { runUploadAppJourney } from "./upload-app-journey.ts";
import { runUploadJourney } from "./upload-journey.ts";

const SCREENSHOTS = join(import.meta.dirname, "../../.bench/browser");
/** `npm start` runs cron each minute; this stack has no clock of its own. */
const CRON_MS = 10_000;

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const chosen = values.only.split(",").filter(Boolean);
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
  const world = { origin: worker.url, mailsUrl: `${stack.mail.url}/_mails`, networksUrl: stack.networks.url, log };
  const context = await browser.newContext({ baseURL: worker.url });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const problems: string[] = [];
  let base = "";
  const call = createCaller(worker.url, stack.seed.keys.workspace);
  const check = async (pages: ListedPage[]) =>
    void problems.push(...(await checkPages(context, worker.url, pages, SCREENSHOTS)));
  const parts: Record<string, () => Promise<void>> = {
    "sign-in": () => runSignInJourney(browser, world),
    reference: async () => void problems.push(...(await checkReference(browser, worker.url, SCREENSHOTS, log))),
    passkey: () => usePasskey(browser, world),
    editor: () => runEditorJourney(page, call, world),
    notifications: () => runNotificationsJourney(page, base, call, world),
    analytics: () => runAnalyticsJourney(browser, page, base, world),
    slideshow: () => runSlideshowJourney(browser, page, base, call, world),
    idea: () => runIdeaJourney(browser, page, base, call, world),
    upload: () => runUploadJourney(page, base, call, world),
    files: () => runFilesJourney(browser, page, base, call, world),
    project: () => runProjectJourney(browser, page, base, call, world),
    calendar: () => runCalendarJourney(page, base, call, world),
    clock: () => runClockJourney(browser, page, base, call, world),
    drafts: () => runDraftsJourney(page, base, call, world),
    composer: () => runComposerJourney(browser, page, base, call, world),
    content: () => runContentJourney(page, base, call, world, { pages: stack.pages.url, screenshots: SCREENSHOTS }),
    approval: () => runApprovalJourney(browser, page, base, call, world),
    consent: () => runConsentJourney(browser, page, base, world, SCREENSHOTS),
    agent: () => runAgentJourney(browser, stack, world),
    "upload-app": () => runUploadAppJourney(browser, stack, world),
    takedown: () => runTakedownJourney(page, base, call, world, SCREENSHOTS),
    accounts: () => runJourney(page, base, world),
    async pages() {
      await call("PATCH", "/workspace", { time_zone: TIME_ZONE });
      await fillWorkspace(worker.url, stack.seed, stack.receiver.url);
      await check(await listPages(context, base));
    },
    empty: async () => check(await listEmptyPages(context, await createEmptyWorkspace(stack, base))),
    async full() {
      await addVolume(stack, base, call);
      await check(await listFullPages(context, base));
    },
  };
  const unknown = chosen.filter((name) => !(name in parts));
  if (unknown.length > 0) throw new Error(`There is no ${unknown}, only ${Object.keys(parts).join(", ")}.`);
  try {
    for (const [name, run] of Object.entries(parts)) {
      // The journey of the sign-in page reads the first mails.
      if (name !== "sign-in") base ||= await signIn(page, world);
      if (chosen.length === 0 || chosen.includes(name)) await run();
    }
    for (const problem of problems) console.error(problem);
    return problems.length === 0 ? "passed" : "failed";
  } catch (error) {
    for (const [at, open] of browser
      .contexts()
      .flatMap((one) => one.pages())
      .entries()) {
      const path = join(SCREENSHOTS, `failed-${at}.png`);
      await open.screenshot({ path, fullPage: true }).catch(() => undefined);
      console.error(`At ${open.url()}; see ${path}`);
    }
    throw error;
  } finally {
    clearInterval(cron);
    await browser.close();
  }
});
