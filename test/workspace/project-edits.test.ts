// Projects made and cut in the dashboard: from chosen files to captions as a file.
import { readFile } from "node:fs/promises";
import { v7 as newId } from "uuid";
import { beforeAll, expect, test } from "vitest";
import {
  type CreatedProject,
  createProject,
  createSpokenProject,
  SPOKEN_WORDS,
  uploadFile,
} from "../editor/factories.ts";
import { DEMO_VIDEO } from "../files/upload-file.ts";
import { createTestTenant, type Tenant } from "../support/harness.ts";
import { type Browser, signInMember } from "./dashboard.ts";

let tenant: Tenant;
let browser: Browser;
let base: string;
let fileId: string;

beforeAll(async () => {
  tenant = await createTestTenant();
  browser = await signInMember(tenant, "editor");
  base = `/dashboard/${tenant.workspaceId}/projects`;
  fileId = await uploadFile(tenant.api, await readFile(DEMO_VIDEO), "video/mp4");
});

const read = async (id: string): Promise<CreatedProject> => (await tenant.api.get(`/editor/projects/${id}`)).body.data;

const listTimes = ({ clips }: CreatedProject) =>
  clips.map(({ start_ms, end_ms, source_start_ms, source_end_ms }) => [
    start_ms,
    end_ms,
    source_start_ms,
    source_end_ms,
  ]);

/** Presses a button beside a clip; returns the status. */
async function press(project: CreatedProject, at: number, form: Record<string, string>) {
  const path = `${base}/${project.project_id}/clips/${project.clips[at]?.clip_id}`;
  return browser.visit(path, { form: { expected: project.updated_at, ...form } });
}

test("a project is made from chosen files, named by the first, and offered where there is none", async () => {
  const own = await createTestTenant();
  const person = await signInMember(own, "editor");
  const projects = `/dashboard/${own.workspaceId}/projects`;
  expect((await person.visit(projects)).text).toContain("Upload the first video");
  const id = await uploadFile(own.api, await readFile(DEMO_VIDEO), "video/mp4");
  const empty = await person.visit(projects);
  expect(empty.text).toContain("No projects yet");
  expect(empty.text).toContain(`name="file" value="${id}"`);

  const made = await person.visit(projects, { form: { file: id, ratio: "1:1" } });
  expect(made.status).toBe(303);
  const projectId = (made.headers.get("location") ?? "").split("/").at(-1) ?? "";
  const { body } = await own.api.get(`/editor/projects/${projectId}`);
  const file = (await own.api.get(`/files/${id}`)).body.data;
  expect(body.data).toMatchObject({ title: file.filename.replace(/\.mp4$/, ""), aspect_ratio: "1:1" });
  const list = await person.visit(projects);
  expect(list.text).toContain(`href="${projects}/${projectId}"`);

  expect((await person.visit(`${projects}/${projectId}/delete`, { form: {} })).status).toBe(303);
  expect((await own.api.get(`/editor/projects/${projectId}`)).status).toBe(404);
  expect((await own.api.get(`/files/${id}`)).status).toBe(200);
});

test("a project of no file, of 21 or of files of others is not made, and the page says why", async () => {
  const tooMany = new URLSearchParams(Array.from({ length: 21 }, () => ["file", newId()]));
  for (const [form, words] of [
    [new URLSearchParams(), "Choose at least one"],
    [tooMany, "at most 20 files"],
  ] as const) {
    expect((await browser.visit(base, { form })).status).toBe(303);
    expect((await browser.visit(base)).text).toContain(words);
  }
  const other = await createTestTenant();
  const theirs = await uploadFile(other.api, await readFile(DEMO_VIDEO), "video/mp4");
  expect((await browser.visit(base, { form: { file: theirs } })).status).toBe(404);
});

test("splits a clip at the player's place, trims its edges and changes its speed", async () => {
  const project = await createProject(tenant.api, [fileId]);
  const { project_id } = project;
  expect((await press(project, 0, { action: "split", at: "2" })).status).toBe(303);
  const split = await read(project_id);
  expect(listTimes(split)).toEqual([
    [0, 2000, 0, 2000],
    [2000, 6000, 2000, 6000],
  ]);
  await press(split, 1, { action: "trim-start", at: "3" });
  await press(await read(project_id), 1, { action: "trim-end", at: "5" });
  const trimmed = await read(project_id);
  expect(listTimes(trimmed)[1]).toEqual([3000, 5000, 3000, 5000]);
  await press(trimmed, 1, { speed: "2" });
  const fast = await read(project_id);
  expect(listTimes(fast)[1]).toEqual([3000, 4000, 3000, 5000]);
  await press(fast, 1, { action: "split", at: "3.5" });
  expect(listTimes(await read(project_id)).slice(1)).toEqual([
    [3000, 3500, 3000, 4000],
    [3500, 4000, 4000, 5000],
  ]);
});

test("400 with a sentence for a cut outside of the clip, and the entries stay", async () => {
  const project = await createProject(tenant.api, [fileId]);
  for (const at of ["0", "6", "99"]) {
    const page = await press(project, 0, { action: "split", at });
    expect(page.status).toBe(400);
    expect(page.text).toContain("Choose a time within the clip");
    expect(page.text).toContain(`name="at" value="${at}"`);
  }
  expect((await press(project, 0, { action: "split", at: "soon" })).text).toContain("in seconds, such as 2.5");
});

test("clips change places, and removing one closes the gap with its captions", async () => {
  const project = await createProject(tenant.api, [fileId, fileId]);
  const { project_id } = project;
  await press(project, 0, { until: "2" });
  await press(await read(project_id), 0, { action: "later" });
  const ordered = await read(project_id);
  // The pause between them stays as long as it was.
  expect(listTimes(ordered).map(([start, end]) => [start, end])).toEqual([
    [10_000, 12_000],
    [0, 6_000],
  ]);
  expect((await press(ordered, 0, { action: "later" })).text).toContain("This is the last clip of its track.");
  const caption = (clip_id: string, start_ms: number) => ({
    ...{ clip_id, text: clip_id, start_ms, end_ms: start_ms + 500, role: "caption" },
  });
  const text_clips = [caption("first", 1000), caption("second", 10_500)];
  await tenant.api.patch(`/editor/projects/${project_id}`, { expected_updated_at: ordered.updated_at, text_clips });
  await press(await read(project_id), 1, { action: "close-gap" });
  const closed = await read(project_id);
  expect(listTimes(closed)).toEqual([[4000, 6000, 0, 2000]]);
  expect(closed.text_clips).toEqual([{ ...caption("second", 4500) }]);
  expect((await browser.visit(`${base}/${project_id}/undo`, { form: { expected: closed.updated_at } })).status).toBe(
    303,
  );
  expect((await read(project_id)).text_clips).toHaveLength(2);
});

test("adds files at the end; a file that is there already keeps its asset", async () => {
  const project = await createProject(tenant.api, [fileId]);
  const path = `${base}/${project.project_id}`;
  const second = await uploadFile(tenant.api, await readFile(DEMO_VIDEO), "video/mp4");
  expect((await browser.visit(`${path}?add`)).text).toContain(`name="file" value="${second}"`);
  const form = new URLSearchParams([
    ["expected", project.updated_at],
    ["file", fileId],
    ["file", second],
  ]);
  expect((await browser.visit(`${path}/files`, { form })).status).toBe(303);
  const added = await read(project.project_id);
  expect(added.clips.map(({ start_ms }) => start_ms)).toEqual([0, 6000, 12_000]);
  expect(added.assets.map(({ file_id }) => file_id)).toEqual([fileId, second]);
  const late = await browser.visit(`${path}/files`, { form });
  expect(late.status).toBe(409);
  expect(late.text).toContain("Keep the stored version");
  const page = await browser.visit(path);
  expect(page.text).toContain("Undo “Add files”");
  const theirs = new URLSearchParams([["file", newId()]]);
  expect((await browser.visit(`${path}/files`, { form: theirs })).status).toBe(404);
});

test("captions are listed with what was said, and leave as SubRip and WebVTT", async () => {
  const project = await createSpokenProject(tenant.api, 4000, SPOKEN_WORDS);
  const path = `${base}/${project.project_id}`;
  await browser.visit(`${path}/captions`, { form: { expected: project.updated_at, key: newId() } });
  const { text_clips, updated_at } = await read(project.project_id);
  const page = await browser.visit(path);
  expect(page.text).toMatch(/<span dir="auto"><button type="button" class="word" data-seek="\d+">hello</);
  expect(page.text).not.toContain("clips were changed after this was heard");
  const [first] = text_clips;
  const form = { expected: updated_at, text: "Hello <world> & all\r\n\r\nof it --> you", start: "0.5", end: "1.25" };
  await browser.visit(`${path}/texts/${first?.clip_id}`, { form });

  const srt = await browser.visit(`${path}/captions.srt`);
  expect(srt.headers.get("content-type")).toBe("application/x-subrip; charset=utf-8");
  expect(srt.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''Cut.srt");
  const [start] = srt.text.split("\r\n\r\n");
  expect(start).toBe("1\r\n00:00:00,500 --> 00:00:01,250\r\nHello <world> & all\r\nof it --> you");
  const vtt = await browser.visit(`${path}/captions.vtt`);
  expect(vtt.headers.get("content-type")).toBe("text/vtt; charset=utf-8");
  expect(
    vtt.text.startsWith("WEBVTT\n\n00:00:00.500 --> 00:00:01.250\nHello &lt;world&gt; &amp; all\nof it --&gt; you\n"),
  ).toBe(true);
  const other = await createTestTenant();
  const stranger = await signInMember(other, "editor");
  for (const format of ["srt", "vtt"])
    expect(
      (await stranger.visit(`${path}/captions.${format}`.replace(tenant.workspaceId ?? "", other.workspaceId ?? "")))
        .status,
    ).toBe(404);
});
