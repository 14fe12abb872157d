// Uploads that end: the storage rejects a part, or an upload that this tab has stored was deleted or has expired.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Call } from "./call-api.ts";
import type { World } from "./journey.ts";
import { createLargeVideo } from "./large-video.ts";
import { waitFor } from "./wait-for.ts";

/** Three parts. */
const VIDEO_MEGABYTES = 20;
const UPLOAD_TIMEOUT_MS = 60_000;
const STORED = 'Object.entries(sessionStorage).filter(([name]) => name.startsWith("upload "))';

export async function runUploadJourney(page: Page, base: string, call: Call, { log }: World): Promise<void> {
  const video = await createLargeVideo(VIDEO_MEGABYTES);
  const isPart = (url: URL) => url.searchParams.has("partNumber");
  const problem = page.locator("#problem", { hasText: /\S/ });
  const uploaded = page.locator("#uploads li[data-url]");
  const readStored = () => page.evaluate<[string, string][]>(STORED);
  const choose = async () => {
    await page.goto(`${base}/compose`);
    await page.setInputFiles("#files", video);
  };

  let requests = 0;
  await page.route(isPart, (route) => {
    requests += 1;
    return route.fulfill({ status: 403, headers: { "Access-Control-Allow-Origin": "*" } });
  });
  await choose();
  assert.match((await problem.textContent()) ?? "", /The storage rejected the file with 403\./);
  assert.ok(requests <= 3, `a part was sent again: ${requests} requests`);
  assert.deepEqual(await readStored(), []);
  await page.unroute(isPart);
  log("a 403 of the storage ended the upload, and nothing was sent again");

  /** Leaves an upload of which the first part is sent. */
  const interrupt = async () => {
    const isLaterPart = (url: URL) => isPart(url) && url.searchParams.get("partNumber") !== "1";
    await page.route(isLaterPart, (route) => route.abort());
    await choose();
    await page.getByText("Connection lost, trying again").waitFor();
    await waitFor(async () => (await readStored()).length === 1, UPLOAD_TIMEOUT_MS);
    const [[name, text] = ["", ""]] = await readStored();
    await page.goto(`${base}/compose`);
    await page.unroute(isLaterPart);
    return { name, upload: JSON.parse(text) as { id: string } };
  };
  const chooseAgain = async () => {
    const numbers: string[] = [];
    const listener = (request: { url(): string }) => {
      const { searchParams } = new URL(request.url());
      if (searchParams.has("partNumber")) numbers.push(searchParams.get("partNumber") ?? "");
    };
    page.on("request", listener);
    await choose();
    await uploaded.waitFor({ timeout: UPLOAD_TIMEOUT_MS });
    page.off("request", listener);
    assert.deepEqual(await readStored(), []);
    return numbers.toSorted();
  };

  await interrupt();
  assert.deepEqual(await chooseAgain(), ["2", "3"]);
  log("choosing the file again sent only the parts that were missing");

  const { upload: deleted } = await interrupt();
  await call("DELETE", `/files/multipart/${deleted.id}`, undefined);
  const numbers = await chooseAgain();
  assert.ok(numbers.includes("1"), `sent: ${numbers}`);
  log("an upload that was deleted in the meantime began anew");

  const { name, upload: expired } = await interrupt();
  const past = JSON.stringify({ ...expired, expiresAt: "2026-01-01T00:00:00.000Z" });
  await page.evaluate(`sessionStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(past)})`);
  assert.deepEqual(await chooseAgain(), ["1", "2", "3"]);
  log("an upload that has expired began anew");
}
