// Projects over HTTP: made from files, read, changed on what was read, deleted, and never seen from another scope.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { DEMO_VIDEO } from "../files/uploaded.ts";
import { type Client, mintTenant, rows } from "../harness.ts";
import { costOf } from "../measure.ts";
import { fileOf, type Made, projectFrom } from "./project.ts";

const PICTURE = join(import.meta.dirname, "../media/fixtures/picture.png");
const video = await readFile(DEMO_VIDEO);

async function demoProject(api: Client): Promise<Made> {
  return projectFrom(api, [await fileOf(api, video, "video/mp4")]);
}

const pathOf = ({ project_id }: Pick<Made, "project_id">) => `/editor/projects/${project_id}`;

test("201 lays files end to end: a video as long as it is, a picture for three seconds, a file twice as one asset", async () => {
  const { api } = await mintTenant();
  const [film, picture] = [
    await fileOf(api, video, "video/mp4"),
    await fileOf(api, await readFile(PICTURE), "image/png"),
  ];
  const answer = await api.post("/editor/projects", { title: " Launch ", file_ids: [film, picture, film] });
  expect(answer.status).toBe(201);
  const project = answer.body.data;
  expect(project).toMatchObject({
    title: "Launch",
    aspect_ratio: "9:16",
    duration_ms: 15_000,
    text_clips: [],
    undo: null,
    render: { status: "none", url: null, rendered_at: null },
    editor_url: expect.stringMatching(new RegExp(`^https?://.+/projects/${project.project_id}$`)),
  });
  expect(project.assets).toEqual([
    expect.objectContaining({
      file_id: film,
      type: "video",
      duration_ms: 6000,
      width: 720,
      height: 1280,
      has_audio: true,
    }),
    expect.objectContaining({ file_id: picture, type: "image", duration_ms: null, has_audio: false }),
  ]);
  const spans = project.clips.map(({ start_ms, end_ms, asset_id }: Record<string, unknown>) => [
    start_ms,
    end_ms,
    asset_id,
  ]);
  const [one, two] = project.assets.map(({ asset_id }: { asset_id: string }) => asset_id);
  expect(spans).toEqual([
    [0, 6000, one],
    [6000, 9000, two],
    [9000, 15_000, one],
  ]);
  expect((await api.get(pathOf(project))).body.data).toEqual(project);
});

test("201 with the aspect ratio that is asked for, at the editor's own address", async () => {
  const { api } = await mintTenant();
  const file = await fileOf(api, video, "video/mp4");
  const answer = await api.call("POST", "/editor/projects", {
    body: { title: "Wide", aspect_ratio: "16:9", file_ids: [file] },
    env: { EDITOR_URL: "https://studio.example.com/edit/" },
  });
  const { aspect_ratio, editor_url, project_id } = answer.body.data;
  expect([aspect_ratio, editor_url]).toEqual(["16:9", `https://studio.example.com/edit/projects/${project_id}`]);
});

test("201 the same project for a repeat with the same key", async () => {
  const { api } = await mintTenant();
  const body = { title: "Once", file_ids: [await fileOf(api, video, "video/mp4")] };
  const key = { "Idempotency-Key": newId() };
  const [first, second] = [
    await api.post("/editor/projects", body, key),
    await api.post("/editor/projects", body, key),
  ];
  expect(second.body).toEqual(first.body);
  expect((await api.get("/editor/projects")).body.data.projects).toHaveLength(1);
});

test("404 project_not_found for a file that nobody has, or that is another workspace's", async () => {
  const [mine, theirs] = [await mintTenant(), await mintTenant()];
  const foreign = await fileOf(theirs.api, video, "video/mp4");
  for (const id of [newId(), foreign]) {
    const answer = await mine.api.post("/editor/projects", { title: "No", file_ids: [id] });
    expect([answer.status, answer.body.error_code]).toEqual([404, "project_not_found"]);
    expect(answer.body.message).toMatch(/^file_ids: no finalized file/);
    expect(answer.body.message).toContain(id);
  }
});

test("422 invalid_document for files that together last longer than a timeline may; 201 for one fewer", async () => {
  const { api } = await mintTenant();
  const file = await fileOf(api, video, "video/mp4");
  await rows(sql`update files set duration_ms = ${6 * 3_600_000} where id = ${file} returning id`);
  const create = (times: number) => api.post("/editor/projects", { title: "Day", file_ids: Array(times).fill(file) });
  const refused = await create(5);
  expect([refused.status, refused.body.error_code]).toEqual([422, "invalid_document"]);
  expect(refused.body.message).toMatch(/^file_ids: .*24 hours.*Name fewer/);
  const made = await create(4);
  expect([made.status, made.body.data.duration_ms]).toEqual([201, 24 * 3_600_000]);
});

test("422 invalid_payload for a create without title, without files, with too many, or with a ratio that is none", async () => {
  const { api } = await mintTenant();
  const id = newId();
  for (const [body, field] of [
    [{ file_ids: [id] }, "title"],
    [{ title: "  ", file_ids: [id] }, "title"],
    [{ title: "a", file_ids: [] }, "file_ids"],
    [{ title: "a", file_ids: Array.from({ length: 21 }, () => id) }, "file_ids"],
    [{ title: "a", file_ids: ["x"] }, "file_ids"],
    [{ title: "a", file_ids: [id], aspect_ratio: "wide" }, "aspect_ratio"],
  ] as const) {
    const answer = await api.post("/editor/projects", body);
    expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_payload"]);
    expect(Object.keys(answer.body.issues.fieldErrors)).toEqual([field]);
  }
});

test("404 project_not_found hides another workspace's project from every operation, and a malformed id too", async () => {
  const [mine, theirs] = [await mintTenant(), await mintTenant()];
  const project = await demoProject(theirs.api);
  for (const path of [pathOf(project), "/editor/projects/not-a-uuid"]) {
    const change = { expected_updated_at: project.updated_at, title: "Mine" };
    const captions = { headers: { "Idempotency-Key": newId() } };
    for (const answer of [
      await mine.api.get(path),
      await mine.api.get(`${path}/transcript`),
      await mine.api.patch(path, change),
      await mine.api.delete(path),
      await mine.api.call("POST", `${path}/captions`, captions),
    ]) {
      expect([answer.status, answer.body.error_code]).toEqual([404, "project_not_found"]);
    }
  }
  expect((await mine.api.get("/editor/projects")).body.data.projects).toEqual([]);
  expect((await theirs.api.get(pathOf(project))).body.data.title).toBe("Cut");
});

test("200 a change on what was read; its updated_at grows though the clock stands still, and 409 for a second one", async () => {
  const { api } = await mintTenant();
  const project = await demoProject(api);
  const [clip] = project.clips;
  const clips = [{ ...clip, end_ms: 2000, source_start_ms: 1000, source_end_ms: 5000, speed: 2 }];
  const text_clips = [{ clip_id: "t1", text: "Hi", start_ms: 0, end_ms: 900, role: "title" }];
  // As if the clock of another machine were ahead.
  await rows(
    sql`update editor_projects set updated_at = now() + interval '1 hour' where id = ${project.project_id} returning id`,
  );
  const read = (await api.get(pathOf(project))).body.data;
  const changed = await api.patch(pathOf(project), { expected_updated_at: read.updated_at, clips, text_clips });
  expect(changed.status).toBe(200);
  const after = changed.body.data;
  expect(after).toMatchObject({
    clips,
    text_clips,
    duration_ms: 2000,
    title: "Cut",
    undo: { revision: 1, label: "Edit clips" },
  });
  expect(new Date(after.updated_at).getTime()).toBe(new Date(read.updated_at).getTime() + 1);

  const late = await api.patch(pathOf(project), { expected_updated_at: read.updated_at, title: "Late" });
  expect([late.status, late.body.error_code]).toEqual([409, "editor_conflict"]);
  expect((await api.get(pathOf(project))).body.data).toEqual(after);
  const offset = `${new Date(new Date(after.updated_at).getTime() + 7_200_000).toISOString().slice(0, -1)}+02:00`;
  const renamed = await api.patch(pathOf(project), { expected_updated_at: offset, title: "Later" });
  expect([renamed.body.data.title, renamed.body.data.undo]).toEqual(["Later", after.undo]);
});

test("one of many changes at once on the same revision wins, the others are told", async () => {
  const { api } = await mintTenant();
  const project = await demoProject(api);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      api.patch(pathOf(project), { expected_updated_at: project.updated_at, title: `Title ${at}` }),
    ),
  );
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  for (const { status, body } of answers) if (status !== 200) expect(body.error_code).toBe("editor_conflict");
  expect((await api.get(pathOf(project))).body.data.title).toBe(won[0]?.body.data.title);
});

test("a change of the clips makes a render stale, a new title does not; a lock holds both off", async () => {
  const { api } = await mintTenant();
  const project = await demoProject(api);
  const render = JSON.stringify({ status: "current", url: "https://cdn.example.com/r.mp4", rendered_at: new Date() });
  await rows(sql`update editor_projects set document = jsonb_set(document, '{render}', ${render}::jsonb)
    where id = ${project.project_id} returning id`);
  const named = (await api.patch(pathOf(project), { expected_updated_at: project.updated_at, title: "New" })).body.data;
  expect(named.render.status).toBe("current");
  const change = { expected_updated_at: named.updated_at, clips: project.clips };
  await rows(
    sql`update editor_projects set assistant_lock_until = now() + interval '1 minute' where id = ${project.project_id} returning id`,
  );
  expect((await api.patch(pathOf(project), change)).body.error_code).toBe("editor_locked");
  await rows(sql`update editor_projects set assistant_lock_until = null where id = ${project.project_id} returning id`);
  expect((await api.patch(pathOf(project), change)).body.data.render).toMatchObject({ status: "stale" });
});

const WRONG_CLIPS: [what: string, change: object][] = [
  ["an asset that is not there", { asset_id: "nobody" }],
  ["an end before its beginning", { start_ms: 3000, end_ms: 2000 }],
  ["a beginning before the timeline", { start_ms: -1, end_ms: 5999 }],
  ["more than its asset has", { source_end_ms: 6001, end_ms: 6001 }],
  ["nothing of its asset", { source_start_ms: 2000, source_end_ms: 2000 }],
  ["another length than its speed gives", { speed: 2 }],
  ["no speed", { speed: 0 }],
  ["a negative volume", { volume: -0.1 }],
  ["a negative track", { track: -1 }],
];

test.each(WRONG_CLIPS)("422 invalid_document for a clip with %s, which names it", async (_, change) => {
  const { api } = await mintTenant();
  const project = await demoProject(api);
  const clips = project.clips.map((clip) => ({ ...clip, clip_id: "the-clip", ...change }));
  const answer = await api.patch(pathOf(project), { expected_updated_at: project.updated_at, clips });
  expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_document"]);
  expect(answer.body.message).toContain("the-clip");
  expect((await api.get(pathOf(project))).body.data).toEqual(project);
});

test("422 invalid_document for a clip_id that is there twice and a text clip that ends before it begins", async () => {
  const { api } = await mintTenant();
  const project = await demoProject(api);
  const text = { clip_id: "t", text: "Hi", start_ms: 10, end_ms: 10, role: "title" };
  for (const change of [{ clips: [...project.clips, ...project.clips] }, { text_clips: [text] }]) {
    const answer = await api.patch(pathOf(project), { expected_updated_at: project.updated_at, ...change });
    expect(answer.body.error_code).toBe("invalid_document");
  }
});

test("422 invalid_payload for a change of nothing, without what was read, or with a clip that lacks a field", async () => {
  const { api } = await mintTenant();
  const project = await demoProject(api);
  const expected_updated_at = project.updated_at;
  const [{ muted: _, ...clip } = { muted: false }] = project.clips;
  for (const body of [{ expected_updated_at }, { title: "a" }, { expected_updated_at, clips: [clip] }]) {
    const answer = await api.patch(pathOf(project), body);
    expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_payload"]);
  }
});

test("200 deletes a project with its feed; its files stay", async () => {
  const { api } = await mintTenant();
  const project = await demoProject(api);
  const answer = await api.delete(pathOf(project));
  expect([answer.status, answer.body.data]).toEqual([200, { project_id: project.project_id, deleted: true }]);
  expect((await api.delete(pathOf(project))).body.error_code).toBe("project_not_found");
  const [left] = await rows<{ files: number; feed: number }>(sql`select
    (select count(*)::int from files where id = ${project.assets[0]?.file_id}) as files,
    (select count(*)::int from editor_activity where project_id = ${project.project_id}) as feed`);
  expect(left).toEqual({ files: 1, feed: 0 });
});

test("a warm read is 1 round trip, a write 2, with an idempotency key 3", async () => {
  const { api } = await mintTenant();
  const project = await demoProject(api);
  const cost = async (method: string, path: string, body?: object, key?: string) => {
    const requestId = newId();
    const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
    const { result, cost } = await costOf(requestId, () => api.call(method, path, { body, headers }));
    return [result.status, cost.round_trips];
  };
  const create = { title: "a", file_ids: project.assets.map(({ file_id }) => file_id) };
  expect(await cost("GET", "/editor/projects")).toEqual([200, 1]);
  expect(await cost("GET", pathOf(project))).toEqual([200, 1]);
  expect(await cost("GET", `${pathOf(project)}/transcript`)).toEqual([200, 1]);
  expect(await cost("POST", "/editor/projects", create)).toEqual([201, 2]);
  expect(await cost("POST", "/editor/projects", create, newId())).toEqual([201, 3]);
  const patch = { expected_updated_at: project.updated_at, title: "b" };
  expect(await cost("PATCH", pathOf(project), patch, newId())).toEqual([200, 3]);
  expect(await cost("DELETE", pathOf(project))).toEqual([200, 2]);
});
