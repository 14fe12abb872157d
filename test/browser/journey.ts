// From the sign-in page to a published video: every step is what a person does, and waits for what a person sees.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { MINUTE_MS } from "../../lib/shared/durations.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import { OWNER_EMAIL } from "../local/seed.ts";
import { createLargeVideo } from "./large-video.ts";
import { waitFor } from "./wait-for.ts";

export interface World {
  origin: string;
  mailsUrl: string;
  networksUrl: string;
  log(line: string): void;
}

/** The first of the owner's workspaces. */
const WORKSPACE = "North Light";
const VIDEO_MEGABYTES = 60;
/** Slow enough to lose the connection in the middle. */
const UPLOAD_BYTES_PER_SECOND = 12_000_000;
/** The part of the file that is sent when the connection is lost. */
const LOST_AT = 0.3;
const OFFLINE_MS = 3_000;
const PUBLISH_TIMEOUT_MS = 90_000;

/** Returns the path of the workspace. */
export async function signIn(page: Page, world: World): Promise<string> {
  await page.goto("/dashboard");
  await fillSignIn(page, world);
  await page.getByRole("link", { name: WORKSPACE }).click();
  await page.waitForURL(/\/queue$/);
  const base = new URL(page.url()).pathname.replace(/\/queue$/, "");
  world.log("signed in with the code of the mail");
  return base;
}

/** On the page of the sign-in, which leads on by itself. */
export async function fillSignIn(page: Page, { mailsUrl }: Pick<World, "mailsUrl">): Promise<void> {
  await page.fill("#email", OWNER_EMAIL);
  await page.click("#email-form button");
  await page.waitForSelector("#code-form:not([hidden])");
  await page.fill("#code", await readCode(mailsUrl));
}

/** Adds a passkey with the browser's own authenticator, signs out, and signs in with it; under a host name. */
export async function usePasskey(browser: Browser, world: World): Promise<void> {
  const context = await browser.newContext({ baseURL: world.origin.replace("127.0.0.1", "localhost") });
  const page = await context.newPage();
  const base = await signIn(page, world);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto("/dashboard/passkeys");
  await page.fill("#name", "Laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("heading", { name: "Laptop" }).waitFor();
  await page.goto(`${base}/queue`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(/sign-in/);
  // The authenticator may accept the offer beside the address before the button is pressed.
  const button = page.getByRole("button", { name: "Sign in with a passkey" });
  await button.click({ timeout: 5_000 }).catch(() => undefined);
  await page.waitForURL((url) => !url.pathname.endsWith("/sign-in"));
  await page.goto(`${base}/queue`);
  assert.ok(page.url().endsWith("/queue"));
  await context.close();
  world.log("added a passkey, signed out, and signed in with it");
}

async function readCode(mailsUrl: string): Promise<string> {
  let code = "";
  await waitFor(async () => {
    const mails: { to: string[]; text: string }[] = await (await fetch(mailsUrl)).json();
    code = mails.find(({ to }) => to.includes(OWNER_EMAIL))?.text.match(/\d{6}/)?.[0] ?? "";
    return code !== "";
  });
  return code;
}

export async function runJourney(page: Page, base: string, world: World): Promise<void> {
  const { log } = world;
  page.on("dialog", (dialog) => void dialog.accept().catch(() => undefined));
  const token = await createKey(page, base);
  assert.equal(await callApi(world.origin, token), 200);
  log("made a key, which the API accepts");
  await connect(page, base, "tiktok", "studio.film");
  await connect(page, base, "instagram", "studio.pictures");
  await connectBluesky(page, base, "northlight.bsky.social");
  log("connected TikTok and Instagram on their consent screens, and Bluesky at the account's server");
  await uploadWithLostConnection(page, base, log);
  await compose(page, "Ten quiet minutes by the sea");
  await page.click("#publish");
  await watchQueue(page, base, "Ten quiet minutes by the sea");
  log("both posts went out in the queue, without reloading");
  await publishAfterReconnect(page, base, log);
  await page.goto(`${base}/keys`);
  await page.locator("li.record.valid", { hasText: "Browser test" }).locator("button.danger").click();
  await page.waitForSelector("li.record.revoked");
  assert.equal(await callApi(world.origin, token), 401);
  log("revoked the key: 401");
}

async function createKey(page: Page, base: string): Promise<string> {
  await page.goto(`${base}/keys`);
  await page.getByText("Create a key", { exact: true }).click();
  await page.fill("input[name=name]", "Browser test");
  await page.getByRole("button", { name: "Create the key" }).click();
  return (await page.textContent(".secret code")) ?? "";
}

async function callApi(origin: string, token: string): Promise<number> {
  const response = await fetch(`${origin}${BASE_PATH}/posts`, { headers: { Authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}

async function connect(page: Page, base: string, platform: string, username: string): Promise<void> {
  await page.goto(`${base}/accounts`);
  await page.click(`form.networks button[value=${platform}]`);
  await page.fill("input[name=new_account]", username);
  await page.click("button[value=allow]");
  await page.waitForURL((url) => url.pathname === `${base}/accounts`);
  await page.getByText(new RegExp(`^Connected: \\w+ ${username}\\.$`)).waitFor();
  await page.locator("li.record", { hasText: username }).locator(".badge.active").waitFor();
}

/** At Bluesky the person names the account first, and its server asks for the consent. */
async function connectBluesky(page: Page, base: string, handle: string): Promise<void> {
  await page.goto(`${base}/accounts`);
  await page.click("form.networks button[value=bluesky]");
  await page.locator("summary", { hasText: "Bluesky" }).click();
  await page.fill("#bluesky-account", handle);
  await page.getByRole("button", { name: "Continue to Bluesky" }).click();
  await page.click("button[value=allow]");
  await page.waitForURL((url) => url.pathname === `${base}/accounts`);
  await page.locator("li.record", { hasText: handle }).getByText("The connection ends").waitFor();
}

async function uploadWithLostConnection(page: Page, base: string, log: World["log"]): Promise<void> {
  await page.goto(`${base}/compose`);
  const network = await page.context().newCDPSession(page);
  const setConnection = (offline: boolean) =>
    network.send("Network.emulateNetworkConditions", {
      offline,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: UPLOAD_BYTES_PER_SECOND,
    });
  await network.send("Network.enable");
  await setConnection(false);
  const video = await createLargeVideo(VIDEO_MEGABYTES);
  const startedAt = Date.now();
  await page.setInputFiles("#files", video);
  const bar = page.locator("#uploads progress");
  while (Number(await bar.evaluate((progress) => progress.getAttribute("value"))) < LOST_AT) await sleep(50);
  await setConnection(true);
  await page.getByText("Connection lost").waitFor();
  await sleep(OFFLINE_MS);
  await setConnection(false);
  await page.locator("#uploads li[data-url]").waitFor({ timeout: PUBLISH_TIMEOUT_MS });
  await network.detach();
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  log(`uploaded ${VIDEO_MEGABYTES} MB in ${seconds} s, ${OFFLINE_MS / 1000} s of them without a connection`);
}

/** Chooses both accounts and what TikTok asks for. */
async function compose(page: Page, caption: string): Promise<void> {
  await page.fill("#caption", caption);
  for (const username of ["studio.film", "studio.pictures"]) await page.check(`input[data-username="${username}"]`);
  assert.equal(await page.inputValue("#tiktok-privacy"), "");
  for (const what of ["comment", "duet", "stitch"]) assert.ok(!(await page.isChecked(`#tiktok-${what}`)));
  await page.selectOption("#tiktok-privacy", "PUBLIC_TO_EVERYONE");
}

/** Waits until both posts are published, on a page that is loaded once. */
async function watchQueue(page: Page, base: string, caption: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === `${base}/queue`);
  await page.locator("body").evaluate((body) => body.setAttribute("data-loaded-once", ""));
  const posts = page.locator("li.post", { hasText: caption });
  await posts
    .locator(".delivery.posted")
    .nth(1)
    .waitFor({ timeout: PUBLISH_TIMEOUT_MS + 2 * MINUTE_MS });
  assert.equal(await posts.count(), 2);
  assert.equal(await page.locator("body[data-loaded-once]").count(), 1);
}

async function publishAfterReconnect(page: Page, base: string, log: World["log"]): Promise<void> {
  const caption = "The next one";
  await page.goto(`${base}/compose`);
  await page.setInputFiles("#files", await createLargeVideo(0));
  await page.locator("#uploads li[data-url]").waitFor({ timeout: PUBLISH_TIMEOUT_MS });
  await compose(page, caption);
  // In UTC, the time zone of the workspace.
  await page.fill("#at", new Date(Date.now() + 2 * MINUTE_MS).toISOString().slice(0, 16));
  await page.click("#publish");
  await page.waitForURL((url) => url.pathname === `${base}/queue`);

  await page.goto(`${base}/accounts`);
  const record = page.locator("li.record", { hasText: "studio.film" });
  await record.locator("button.danger").click();
  await page.locator("li.record", { hasText: "studio.film" }).locator(".badge.disconnected").waitFor();
  await page.goto(`${base}/queue`);
  const reason = page.locator("li.post", { hasText: caption }).locator(".reason");
  await reason.waitFor();
  log(`disconnected TikTok; the next post says: ${await reason.textContent()}`);
  await connect(page, base, "tiktok", "studio.film");
  await page.goto(`${base}/queue`);
  await watchQueue(page, base, caption);
  log("connected it again, and the post went out at its time");
}
