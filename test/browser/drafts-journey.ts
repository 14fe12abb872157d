// The composer loses nothing: it saves while typing, entries survive a reload at every step, and two windows on
// one draft overwrite nothing in silence.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Call } from "./call-api.ts";
import type { World } from "./journey.ts";
import { createLargeVideo } from "./large-video.ts";
import { waitFor } from "./wait-for.ts";

interface PostSummary {
  id: string;
  caption: string;
  status: string;
  scheduled_at: string | null;
  accounts: { states: { account_id: string }[] };
}

export async function runDraftsJourney(page: Page, base: string, call: Call, { log }: World): Promise<void> {
  const list = async () => (await call<{ posts: PostSummary[] }>("GET", "/posts?limit=100", undefined)).posts;
  const find = async (caption: string) => (await list()).filter((post) => post.caption === caption);
  const box = (of: Page, platform: string) => of.locator(`input[data-platform=${platform}][data-type=byo]`).first();
  const waitForState = (of: Page, text: string | RegExp) => of.locator("#save-state", { hasText: text }).waitFor();
  const typeCaption = async (of: Page, text: string) => {
    await of.locator("#caption").focus();
    await of.keyboard.press("Control+A");
    await of.keyboard.type(text);
  };

  await page.goto(`${base}/compose`);
  await typeCaption(page, "Only in this browser");
  await waitForState(page, "choose an account");
  await page.reload();
  await waitFor(async () => (await page.inputValue("#caption")) === "Only in this browser");
  assert.deepEqual(await find("Only in this browser"), []);
  log("a text without an account survived a reload");

  await page.goto(`${base}/queue`);
  await page.goto(`${base}/compose`);
  await page.getByRole("button", { name: "Bring it back" }).press("Enter");
  assert.equal(await page.inputValue("#caption"), "Only in this browser");
  await box(page, "bluesky").press("Space");
  await waitForState(page, /^Saved$/);
  assert.equal((await find("Only in this browser")).length, 1);
  assert.match(page.url(), /\?draft=[\w-]{36}$/);
  log("on another visit it was offered, and with an account it was saved as a draft");

  await box(page, "tiktok").press("Space");
  await page.setInputFiles("#files", await createLargeVideo(0));
  await page.locator("#uploads li[data-url]").waitFor();
  await page.locator("#tiktok-privacy").selectOption("SELF_ONLY");
  await page.getByRole("button", { name: "Tomorrow 9:00" }).press("Enter");
  await page.locator("#cover-own").press("Space");
  await page.locator("#cover:enabled").press("ArrowRight");
  const cover = await page.inputValue("#cover");
  await waitFor(async () => new URL(page.url()).searchParams.getAll("draft").length === 2);
  await waitForState(page, /^Saved$/);
  await page.reload();
  await page.locator("#uploads li[data-url]").waitFor();
  assert.equal(await box(page, "tiktok").isChecked(), true);
  assert.equal(await box(page, "bluesky").isChecked(), true);
  await waitFor(async () => (await page.inputValue("#tiktok-privacy")) === "SELF_ONLY");
  assert.match(await page.inputValue("#at"), /T09:00$/);
  await waitFor(async () => (await page.locator("#cover:enabled").inputValue()) === cover);
  const drafts = await find("Only in this browser");
  assert.deepEqual(
    drafts.map(({ status }) => status),
    ["draft", "draft"],
  );
  log("a reload brought back both drafts, the video, its cover, the settings and the time");

  await box(page, "tiktok").press("Space");
  await waitFor(async () => (await find("Only in this browser")).length === 1);
  await waitForState(page, /^Saved$/);
  const [draft] = await find("Only in this browser");
  assert.ok(draft);

  await typeCaption(page, "Typed and reloaded at once");
  await page.reload();
  await waitFor(async () => (await page.inputValue("#caption")) === "Typed and reloaded at once");
  await waitFor(async () => (await find("Typed and reloaded at once")).length === 1);
  await waitForState(page, /^Saved$/);
  assert.equal((await list()).filter(({ id }) => id === draft.id).length, 1);
  assert.equal(await page.locator("#conflict[open]").count(), 0);
  log("a reload within the second before a save lost nothing, and was no conflict with itself");

  await page.route("**/api/posts/*", (route) => route.abort());
  await typeCaption(page, "Written offline");
  await waitForState(page, "Not saved: The connection was lost");
  await page.unroute("**/api/posts/*");
  await page.evaluate("dispatchEvent(new Event('online'))");
  await waitForState(page, /^Saved$/);
  assert.equal((await find("Written offline")).length, 1);
  log("without a connection it said so, and saved when it was back");

  const other = await page.context().newPage();
  await other.goto(`${base}/compose?draft=${draft.id}`);
  await typeCaption(other, "From the second window");
  await waitForState(other, /^Saved$/);
  await typeCaption(page, "From the first window");
  const dialog = page.locator("#conflict[open]");
  await dialog.waitFor();
  assert.match((await dialog.locator("#conflict-own-facts").textContent()) ?? "", /From the first window/);
  assert.match((await dialog.locator("#conflict-other-facts").textContent()) ?? "", /From the second window/);
  assert.equal((await call<PostSummary>("GET", `/posts/${draft.id}`, undefined)).caption, "From the second window");
  await page.getByRole("button", { name: "Keep what is here" }).press("Enter");
  await waitForState(page, /^Saved$/);
  assert.equal((await call<PostSummary>("GET", `/posts/${draft.id}`, undefined)).caption, "From the first window");
  await typeCaption(other, "Second thoughts");
  await other.locator("#conflict[open]").waitFor();
  await other.getByRole("button", { name: "Take the other version" }).press("Enter");
  await waitFor(async () => (await other.inputValue("#caption").catch(() => "")) === "From the first window");
  assert.equal((await call<PostSummary>("GET", `/posts/${draft.id}`, undefined)).caption, "From the first window");
  await other.close();
  log("two windows on one draft: both versions were shown, and only what was chosen was written");

  const [entry] = draft.accounts.states;
  const accounts = [{ id: entry?.account_id, caption: "Only for this account" }];
  await call("PATCH", `/posts/${draft.id}`, { accounts });
  await typeCaption(page, "Without what the account has");
  await dialog.waitFor();
  const readFacts = (of: string) => dialog.locator(`#conflict-${of}-facts`).textContent();
  assert.match((await readFacts("other")) ?? "", /Only Bluesky .*“Only for this account”/);
  assert.doesNotMatch((await readFacts("own")) ?? "", /Only for this account/);
  await page.getByRole("button", { name: "Take the other version" }).press("Enter");
  await waitFor(async () => (await page.inputValue("#caption").catch(() => "")) === "From the first window");
  await waitFor(async () => (await page.inputValue(`#own-caption-${entry?.account_id}`)) === "Only for this account");
  log("both versions show what single accounts have of their own");

  await call("POST", "/posts/delete", { post_ids: [draft.id] });
  await typeCaption(page, "Deleted elsewhere");
  await waitForState(page, /^Saved$/);
  const [again] = await find("Deleted elsewhere");
  assert.ok(again);
  assert.notEqual(again.id, draft.id);
  await call("POST", "/posts/delete", { post_ids: [again.id] });
  log("a draft that was deleted elsewhere was stored again");
}
