// From a file to a folder by keyboard alone, with reloads in between; then by touch on a phone, and a large library measured.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { Call } from "./call-api.ts";
import { openPhone, requireFit } from "./hands.ts";
import type { World } from "./journey.ts";
import { tabTo } from "./keyboard.ts";
import { createLargeVideo } from "./large-video.ts";
import { waitFor } from "./wait-for.ts";

const UPLOAD_TIMEOUT_MS = 60_000;
/** Of a phone, in px. */
const HALF_SCREEN = 422;

interface StoredFile {
  id: string;
  filename: string;
}

export async function runFilesJourney(
  browser: Browser,
  page: Page,
  base: string,
  call: Call,
  { origin, log }: World,
): Promise<void> {
  const videos = await Promise.all([0, 1, 12].map(createLargeVideo));
  const names = ["video-0.mp4", "video-1.mp4", "video-12.mp4"];
  const listFolder = async (id: string) =>
    (await call<{ items: StoredFile[] }>("GET", `/folders/${id}/items`, undefined)).items.map(
      ({ filename }) => filename,
    );

  await page.goto(`${base}/files`);
  await tabTo(page, page.locator("button[popovertarget=new-folder]"));
  await page.keyboard.press("Enter");
  await page.keyboard.type("Autumn");
  await page.keyboard.press("Enter");
  const folder = page.locator(".folder", { hasText: "Autumn" });
  await folder.waitFor();
  await page.reload();
  const folderId = (await folder.getAttribute("data-folder")) ?? "";
  log("made a folder with the keyboard");

  await tabTo(page, page.locator(`.folder[data-folder="${folderId}"] a`));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Autumn" }).waitFor();
  await tabTo(page, page.locator("#upload"));
  const chooser = page.waitForEvent("filechooser");
  await page.keyboard.press("Space");
  await (await chooser).setFiles(videos);
  await waitFor(async () => (await page.locator(".file").count()) === 3, UPLOAD_TIMEOUT_MS);
  assert.deepEqual((await listFolder(folderId)).toSorted(), names.toSorted());
  await waitFor(async () => (await page.locator("#uploads li").count()) === 0);
  log("uploaded three files at once into the open folder");

  const isLaterPart = (url: URL) => url.searchParams.has("partNumber") && url.searchParams.get("partNumber") !== "1";
  const large = await createLargeVideo(20);
  await page.route(isLaterPart, (route) => route.abort());
  await page.setInputFiles("#upload", large);
  await page.getByText("Connection lost, trying again").waitFor({ timeout: UPLOAD_TIMEOUT_MS });
  await waitFor(async () => (await page.evaluate<string>("Object.keys(sessionStorage).join()")).includes("video-20"));
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await page.unroute(isLaterPart);
  await page.getByText("video-20.mp4 was interrupted at").waitFor();
  const again = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose it again" }).press("Enter");
  let sentParts = 0;
  const count = (request: { url(): string }) => {
    if (new URL(request.url()).searchParams.has("partNumber")) sentParts += 1;
  };
  page.on("request", count);
  await (await again).setFiles(large);
  await page.locator('.file[data-name="video-20.mp4"]').waitFor({ timeout: UPLOAD_TIMEOUT_MS });
  page.off("request", count);
  assert.equal(sentParts, 2);
  log("after a reload in the middle of an upload, only the missing parts were sent");

  await page.locator('.file[data-name="video-0.mp4"] > input').focus();
  await page.keyboard.press("Space");
  await tabTo(page, page.locator("#chosen-actions button[popovertarget=move]"));
  await page.keyboard.press("Enter");
  await tabTo(page, page.locator("#to"));
  await tabTo(page, page.locator("#move button[type=submit]"));
  await page.keyboard.press("Enter");
  await page.locator(".toast", { hasText: "1 file moved." }).waitFor();
  await waitFor(async () => !(await listFolder(folderId)).includes("video-0.mp4"));
  await page.locator(".toast button", { hasText: "Undo" }).press("Enter");
  await waitFor(async () => (await listFolder(folderId)).includes("video-0.mp4"));
  await page.locator('.file[data-name="video-0.mp4"]').waitFor();
  log("moved a file out of the folder by keyboard, and back with Undo");

  await page.locator('.file[data-name="video-1.mp4"] > input').focus();
  await page.keyboard.press("Space");
  await tabTo(page, page.locator("#chosen-actions button[value=delete]"));
  await page.keyboard.press("Enter");
  const toast = page.locator(".toast", { hasText: "video-1.mp4 deleted." });
  await toast.getByRole("button", { name: "Undo" }).press("Enter");
  await page.locator('.file[data-name="video-1.mp4"]').waitFor();
  assert.ok((await listFolder(folderId)).includes("video-1.mp4"));
  await page.locator('.file[data-name="video-1.mp4"] > input').press("Space");
  await tabTo(page, page.locator("#chosen-actions button[value=delete]"));
  await page.keyboard.press("Enter");
  await toast.waitFor();
  await page.reload();
  await waitFor(async () => !(await listFolder(folderId)).includes("video-1.mp4"));
  log("took a deletion back, and a reload in the middle of another one finished it");

  await page.goto(`${base}/files`);
  await dragOntoFolder(page, folderId, call, base);
  log("dragged a file onto a folder");

  const context = await openPhone(browser, origin, page.context());
  const phone = await context.newPage();
  await phone.goto(`${base}/files?folder=${folderId}`);
  await phone.locator('.file[data-name="video-12.mp4"] a').tap();
  await phone.getByRole("heading", { name: "video-12.mp4" }).waitFor();
  await phone.getByText("MP4 video").waitFor();
  await requireFit(phone);
  await phone.goBack();
  await phone.locator('.file[data-name="video-12.mp4"] > input').tap();
  await phone.getByRole("button", { name: "Make a video project" }).tap();
  await phone.waitForURL(/\/projects\//);
  log("looked at a file and made a project of it by touch");

  await phone.goto(`${base}/files?in=all`);
  const { y = Number.POSITIVE_INFINITY } = (await phone.locator(".file").first().boundingBox()) ?? {};
  assert.ok(y < HALF_SCREEN, `the first file is ${y} px below the top`);
  await phone.getByText("Filters (1)").tap();
  await phone.getByLabel("Use").selectOption("used");
  await requireFit(phone);
  await phone.getByRole("button", { name: "Show" }).tap();
  await phone.getByText("No file matches").waitFor();
  assert.match(phone.url(), /use=used/);
  await phone.getByRole("link", { name: "Clear" }).tap();
  await phone.locator(".file").first().waitFor();
  await context.close();
  log("filtered the files by touch, which stay on the first screen");
}

async function dragOntoFolder(page: Page, folderId: string, call: Call, base: string): Promise<void> {
  const folder = page.locator(`.folder[data-folder="${folderId}"]`);
  await page.setInputFiles("#upload", await createLargeVideo(2));
  const card = page.locator('.file[data-name="video-2.mp4"]');
  await card.waitFor({ timeout: UPLOAD_TIMEOUT_MS });
  await card.dragTo(folder);
  await waitFor(async () => {
    const { items } = await call<{ items: StoredFile[] }>("GET", `/folders/${folderId}/items`, undefined);
    return items.some(({ filename }) => filename === "video-2.mp4");
  });
  await page.goto(`${base}/files`);
  assert.equal(await card.count(), 0);
}
