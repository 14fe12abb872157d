// The page of a project: opened by the link of the API, changed with the version that was seen, and who did what.

import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
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
import { createTestTenant, openTestDatabase, type Tenant } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { type Browser, createBrowser, signInMember, signInOwner } from "./dashboard.ts";

let tenant: Tenant;
let browser: Browser & { email: string };
let fileId: string;

beforeAll(async () => {
  tenant = await createTestTenant();
  browser = await signInMember(tenant, "editor");
  fileId = await uploadFile(tenant.api, await readFile(DEMO_VIDEO), "video/mp4");
});

const read = async ({ project_id }: CreatedProject): Promise<CreatedProject> =>
  (await tenant.api.get(`/editor/projects/${project_id}`)).body.data;

async function setUp(clips = 1) {
  const project = await createProject(
    tenant.api,
    Array.from({ length: clips }, () => fileId),
  );
  return { project, path: `/dashboard/${tenant.workspaceId}/projects/${project.project_id}` };
}

async function getEditorPath(project: CreatedProject): Promise<string> {
  const { editor_url } = (await tenant.api.get(`/editor/projects/${project.project_id}`)).body.data;
  return new URL(editor_url).pathname;
}

test("editor_url opens the project; who is signed out signs in first and comes back to it", async () => {
  const { project, path } = await setUp();
  const link = await getEditorPath(project);
  const opened = await browser.visit(link);
  expect([opened.status, opened.headers.get("location")]).toEqual([302, path]);
  expect((await browser.visit(path)).text).toContain("<h1>Cut</h1>");

  const guest = createBrowser();
  const signInPage = (await guest.visit(link)).headers.get("location") ?? "";
  expect(signInPage).toBe(`/dashboard/sign-in?next=${encodeURIComponent(link)}`);
  expect((await guest.visit(signInPage)).text).toContain(`data-next="${link}"`);
});

test("404 for the project of another workspace, by the link, the page and every action", async () => {
  const { project, path } = await setUp();
  const other = await createTestTenant();
  const stranger = await signInOwner(other);
  expect((await stranger.visit(await getEditorPath(project))).status).toBe(404);
  expect((await stranger.visit(path)).status).toBe(404);
  const own = path.replace(tenant.workspaceId ?? "", other.workspaceId ?? "");
  const clip = project.clips[0]?.clip_id;
  for (const at of ["", "/state"]) expect((await stranger.visit(`${own}${at}`)).status).toBe(404);
  for (const at of [`/clips/${clip}`, "/texts/new", "/title", "/undo", "/captions"]) {
    const form = { expected: project.updated_at, start: "1", text: "a", end: "2", title: "a" };
    expect([at, (await stranger.visit(`${own}${at}`, { form })).status]).toEqual([at, 404]);
  }
  expect((await read(project)).updated_at).toBe(project.updated_at);
});

test("moves and trims a clip, and undo brings the clips back", async () => {
  const { project, path } = await setUp(2);
  const [, second] = project.clips;
  const form = { expected: project.updated_at, start: "7.5", from: "1", until: "3.25" };
  const saved = await browser.visit(`${path}/clips/${second?.clip_id}`, { form });
  expect([saved.status, saved.headers.get("location")]).toEqual([303, `${path}?clip=${second?.clip_id}`]);
  const changed = await read(project);
  expect(changed.clips[1]).toMatchObject({
    start_ms: 7500,
    end_ms: 9750,
    source_start_ms: 1000,
    source_end_ms: 3250,
    volume: 1,
  });
  const page = await browser.visit(path);
  expect(page.text).toContain("Undo “Edit clips”");
  // A new title is no step of undo.
  await browser.visit(`${path}/title`, { form: { expected: changed.updated_at, title: "Second cut" } });
  const { updated_at } = await read(project);
  expect((await browser.visit(`${path}/undo`, { form: { expected: updated_at } })).status).toBe(303);
  const undone = await read(project);
  expect(undone.clips).toEqual(project.clips);
  expect(undone.title).toBe("Second cut");
});

test("400 with a sentence and the entries for a clip that is longer than its file", async () => {
  const { project, path } = await setUp();
  const form = { expected: project.updated_at, start: "0", from: "0", until: "99" };
  const page = await browser.visit(`${path}/clips/${project.clips[0]?.clip_id}`, { form });
  expect(page.status).toBe(400);
  expect(page.text).toContain("must end by 6 seconds");
  expect(page.text).toContain('value="99"');
  expect((await read(project)).updated_at).toBe(project.updated_at);
});

test("409 after a change of somebody else: nothing is lost, and saving again stores it", async () => {
  const { project, path } = await setUp();
  const added = await browser.visit(`${path}/texts/new`, {
    form: { expected: project.updated_at, text: "First words", start: "0.5", end: "2" },
  });
  expect(added.status).toBe(303);
  const { text_clips, updated_at } = await read(project);
  const id = text_clips[0]?.clip_id ?? "";
  await tenant.api.patch(`/editor/projects/${project.project_id}`, {
    expected_updated_at: updated_at,
    text_clips: [{ ...text_clips[0], text: "Theirs" }],
  });
  const form = { text: "Mine & yours", start: "0.5", end: "2" };
  const page = await browser.visit(`${path}/texts/${id}`, { form: { ...form, expected: updated_at } });
  expect(page.status).toBe(409);
  expect(page.text).toContain("was changed after you opened it");
  expect(page.text).toContain("Mine &amp; yours");
  expect(page.text).toContain("Stored at the moment: Theirs");
  expect((await read(project)).text_clips[0]?.text).toBe("Theirs");

  const [, expected = ""] = page.text.match(/data-save[\s\S]*?name="expected" value="([^"]+)"/) ?? [];
  expect((await browser.visit(`${path}/texts/${id}`, { form: { ...form, expected } })).status).toBe(303);
  expect((await read(project)).text_clips[0]?.text).toBe("Mine & yours");
});

test("409 while the assistant is editing, and the page says so", async () => {
  const { project, path } = await setUp();
  const until = new Date(Date.now() + 60_000).toISOString();
  await openTestDatabase().execute(
    sql`update editor_projects set assistant_lock_until = ${until} where id = ${project.project_id}`,
  );
  const page = await browser.visit(path);
  expect(page.text).toContain("The assistant is editing this project");
  expect(page.text).not.toContain("data-editable");
  const state = JSON.parse((await browser.visit(`${path}/state`)).text);
  expect(state).toEqual({ updated: project.updated_at, locked: true });
  const form = { expected: project.updated_at, start: "1", from: "0", until: "2" };
  const response = await browser.visit(`${path}/clips/${project.clips[0]?.clip_id}`, { form });
  expect(response.status).toBe(409);
  expect(response.text).toContain("save again in a few seconds");
  expect((await read(project)).clips).toEqual(project.clips);
});

test("lists who did what with its note, and removes a text", async () => {
  const { project, path } = await setUp();
  const viewer = await signInMember(tenant, "viewer");
  await browser.visit(`${path}/texts/new`, {
    form: { expected: project.updated_at, text: "<b>Bold</b>", start: "1", end: "2" },
  });
  await openTestDatabase().execute(
    sql`update editor_activity set note = 'for <Ann>' where project_id = ${project.project_id} and kind = 'edited'`,
  );
  const page = await viewer.visit(path);
  expect(page.text).toContain(`<strong>${browser.email}</strong>`);
  expect(page.text).toContain("<q>for &lt;Ann&gt;</q>");
  expect(page.text).toContain("&lt;b&gt;Bold&lt;/b&gt;");
  expect(page.text).toContain("Your role is viewer");
  expect(page.text).toMatch(/<strong>[^<]+<\/strong> <small>API<\/small> created the project/);
  const { text_clips, updated_at } = await read(project);
  const form = { expected: updated_at, action: "remove" };
  expect((await browser.visit(`${path}/texts/${text_clips[0]?.clip_id}`, { form })).status).toBe(303);
  expect((await read(project)).text_clips).toEqual([]);
});

test("writes captions once, with the note in the activity; a lost answer and a second press add none", async () => {
  const project = await createSpokenProject(tenant.api, 4000, SPOKEN_WORDS);
  const path = `/dashboard/${tenant.workspaceId}/projects/${project.project_id}`;
  const form = { expected: project.updated_at, key: newId(), note: "for the newsletter" };
  const written = await browser.visit(`${path}/captions`, { form });
  expect([written.status, written.headers.get("location")]).toEqual([303, path]);
  const { text_clips } = await read(project);
  expect(text_clips.map(({ text }) => text).join(" ")).toMatch(/hello world/);
  expect((await browser.visit(`${path}/captions`, { form })).status).toBe(303);
  expect((await read(project)).text_clips).toEqual(text_clips);
  const page = await browser.visit(path);
  expect(page.text).toContain("<q>for the newsletter</q>");
  expect(page.text).toMatch(new RegExp(`<strong>${browser.email}</strong>\\s+added captions`));
  expect(page.text).toContain("Undo “Add captions”");
  expect(page.text).not.toContain("Write captions from speech");
});

test("a page of a project with thousands of captions lists a part of them, in one round trip", async () => {
  const { project, path } = await setUp();
  const captions = Array.from({ length: 5000 }, (_, at) => ({
    clip_id: `c${at}`,
    text: `Caption ${at}`,
    start_ms: at * 1000,
    end_ms: at * 1000 + 900,
    role: "caption",
  }));
  const stored = await tenant.api.patch(`/editor/projects/${project.project_id}`, {
    expected_updated_at: project.updated_at,
    text_clips: captions,
  });
  expect(stored.status).toBe(200);
  const requestId = newId();
  const visit = () => browser.visit(`${path}?text=c4321`, { headers: { "X-Request-Id": requestId } });
  const { result, cost } = await measureCost(requestId, visit);
  console.log(
    `A project of 5000 captions: ${Math.round(result.text.length / 1024)} KiB, ${cost.round_trips} round trip`,
  );
  expect(cost.round_trips).toBe(1);
  expect(result.text.length).toBeLessThan(150 * 1024);
  expect(result.text).toContain("4301 to 4400 of 5000");
  expect(result.text).toContain(">Caption 4321</textarea>");
});

test("the list of projects names each, newest first", async () => {
  const own = await createTestTenant();
  const person = await signInOwner(own);
  const path = `/dashboard/${own.workspaceId}/projects`;
  expect((await person.visit(path)).text).toContain("No projects yet");
  const id = await uploadFile(own.api, await readFile(DEMO_VIDEO), "video/mp4");
  const { project_id } = await createProject(own.api, [id]);
  expect((await person.visit(path)).text).toContain(`href="${path}/${project_id}"`);
});
