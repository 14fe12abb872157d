// From the link of the API to a changed project: by mouse and keyboard, with a change of somebody else in between.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Call } from "./call-api.ts";
import type { World } from "./journey.ts";
import { createSampleProject, type SampleProject } from "./sample-project.ts";
import { readBox, waitFor } from "./wait-for.ts";

const TIMEOUT_MS = 15_000;

export async function runEditorJourney(page: Page, call: Call, { log }: World): Promise<void> {
  const project = await createSampleProject(call, "Journey");
  const path = `/editor/projects/${project.project_id}`;
  const read = () => call<SampleProject>("GET", path, undefined);
  await page.goto(new URL(project.editor_url).pathname);
  await page.getByRole("heading", { name: "Journey" }).waitFor();
  log("editor_url opened the project");

  await page.getByRole("button", { name: "Play" }).click();
  await page.getByText("the pier belongs to the gulls,").first().waitFor();
  await page.locator(".overlay", { hasText: "the pier belongs" }).waitFor({ timeout: TIMEOUT_MS });
  await page.getByRole("button", { name: "Pause" }).click();
  log("played until the second caption was shown");

  const second = page.locator(".bar.clip").nth(1);
  await second.focus();
  for (const key of ["Shift+ArrowRight", "Shift+ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  await waitFor(async () => (await read()).clips[1]?.start_ms === (project.clips[1]?.start_ms ?? 0) + 2_100);
  await page.locator(`.bar:focus[data-id="${project.clips[1]?.clip_id}"]`).waitFor();
  log("moved a clip by 2.1 s with the arrow keys, and the focus stayed on it");

  const caption = page.locator(".bar.text").nth(2);
  const box = await readBox(caption);
  await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 60, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await waitFor(async () => ((await read()).text_clips[2]?.end_ms ?? 0) > (project.text_clips[2]?.end_ms ?? 0));
  assert.equal((await read()).text_clips[2]?.start_ms, project.text_clips[2]?.start_ms);
  log("made a caption longer by dragging its edge");

  await page.locator(".texts a").first().click();
  // The fields of the caption that was dragged are shown until then.
  await page.locator('#edit form[action$="/texts/caption-0"]').waitFor();
  await page.fill("#edit textarea", "Mine");
  const seen = await read();
  await call("PATCH", path, {
    expected_updated_at: seen.updated_at,
    text_clips: seen.text_clips.map((clip, at) => (at === 0 ? { ...clip, text: "Theirs" } : clip)),
  });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator(".notice.problem", { hasText: "was changed after you opened it" }).waitFor();
  await page.getByText("Stored at the moment: Theirs").waitFor();
  assert.equal(await page.inputValue("#edit textarea"), "Mine");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await waitFor(async () => (await read()).text_clips[0]?.text === "Mine");
  log("after a change of somebody else the words came back, and the second save stored them");

  await call("PATCH", path, { expected_updated_at: (await read()).updated_at, title: "Renamed elsewhere" });
  await page.getByRole("heading", { name: "Renamed elsewhere" }).waitFor({ timeout: TIMEOUT_MS });
  log("the page showed a change of the API without being loaded again");
}
