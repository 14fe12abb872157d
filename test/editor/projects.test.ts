// Projects over HTTP: create, read, update with optimistic locking, delete, and isolation between scopes.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { DEMO_VIDEO } from "../files/upload-file.ts";
import { type Client, createTestTenant, queryRows } from "../support/harness.ts";
import { measureCost } from "../support/measure-round-trips.ts";
import { type CreatedProject, createProject, uploadFile } from "./factories.ts";

const PICTURE = join(import.meta.dirname, "../media/fixtures/picture.png");
const video = await readFile(DEMO_VIDEO);

async function demoProject(api: Client): Promise<CreatedProject> {
  return createProject(api, [await uploadFile(api, video, "video/mp4")]);
}

const getPath = ({ project_id }: Pick<CreatedProject, "project_id">) => `/editor/projects/${project_id}`;

test("201 places files end to end: a video with its duration, an image for three seconds, a repeated file as one asset", async () => {
  const { api } = await createTestTenant();
  const [film, picture] = [
    await uploadFile(api, video, "video/mp4"),
    await uploadFile(api, await readFile(PICTURE), "image/png"),
  ];
  const response = await api.post("/editor/projects", { title: " Launch ", file_ids: [film, picture, film] });
  expect(response.status).toBe(201);
  const project = response.body.data;
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
  expect((await api.get(getPath(project))).body.data).toEqual(project);
});

test("201 with the requested aspect ratio and the configured editor URL", async () => {
  const { api } = await createTestTenant();
  const file = await uploadFile(api, video, "video/mp4");
  const response = await api.call("POST", "/editor/projects", {
    body: { title: "Wide", aspect_ratio: "16:9", file_ids: [file] },
    env: { EDITOR_URL: "https://studio.example.com/edit/" },
  });
  const { aspect_ratio, editor_url, project_id } = response.body.data;
  expect([aspect_ratio, editor_url]).toEqual(["16:9", `https://studio.example.com/edit/projects/${project_id}`]);
});

test("201 returns the same project for a retry with the same key", async () => {
  const { api } = await createTestTenant();
  const body = { title: "Once", file_ids: [await uploadFile(api, video, "video/mp4")] };
  const key = { "Idempotency-Key": newId() };
  const [first, second] = [
    await api.post("/editor/projects", body, key),
    await api.post("/editor/projects", body, key),
  ];
  expect(second.body).toEqual(first.body);
  expect((await api.get("/editor/projects")).body.data.projects).toHaveLength(1);
});

test("404 project_not_found for unknown files and files of another workspace", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const foreign = await uploadFile(theirs.api, video, "video/mp4");
  for (const id of [newId(), foreign]) {
    const response = await mine.api.post("/editor/projects", { title: "No", file_ids: [id] });
    expect([response.status, response.body.error_code]).toEqual([404, "project_not_found"]);
    expect(response.body.message).toMatch(/^file_ids: no finalized file/);
    expect(response.body.message).toContain(id);
  }
});

test("422 invalid_document for files that last over 24 hours together; 201 for one fewer", async () => {
  const { api } = await createTestTenant();
  const file = await uploadFile(api, video, "video/mp4");
  await queryRows(sql`update files set duration_ms = ${6 * 3_600_000} where id = ${file} returning id`);
  const create = (times: number) => api.post("/editor/projects", { title: "Day", file_ids: Array(times).fill(file) });
  const rejected = await create(5);
  expect([rejected.status, rejected.body.error_code]).toEqual([422, "invalid_document"]);
  expect(rejected.body.message).toMatch(/^file_ids: .*24 hours.*Send fewer files/);
  const made = await create(4);
  expect([made.status, made.body.data.duration_ms]).toEqual([201, 24 * 3_600_000]);
});

test("422 invalid_payload without title or files, with too many files or an invalid aspect ratio", async () => {
  const { api } = await createTestTenant();
  const id = newId();
  for (const [body, field] of [
    [{ file_ids: [id] }, "title"],
    [{ title: "  ", file_ids: [id] }, "title"],
    [{ title: "a", file_ids: [] }, "file_ids"],
    [{ title: "a", file_ids: Array.from({ length: 21 }, () => id) }, "file_ids"],
    [{ title: "a", file_ids: ["x"] }, "file_ids"],
    [{ title: "a", file_ids: [id], aspect_ratio: "wide" }, "aspect_ratio"],
  ] as const) {
    const response = await api.post("/editor/projects", body);
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
    expect(Object.keys(response.body.issues.fieldErrors)).toEqual([field]);
  }
});

test("404 project_not_found hides another workspace's project in every operation; also for malformed ids", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const project = await demoProject(theirs.api);
  for (const path of [getPath(project), "/editor/projects/not-a-uuid"]) {
    const change = { expected_updated_at: project.updated_at, title: "Mine" };
    const captions = { headers: { "Idempotency-Key": newId() } };
    for (const response of [
      await mine.api.get(path),
      await mine.api.get(`${path}/transcript`),
      await mine.api.patch(path, change),
      await mine.api.delete(path),
      await mine.api.call("POST", `${path}/captions`, captions),
    ]) {
      expect([response.status, response.body.error_code]).toEqual([404, "project_not_found"]);
    }
  }
  expect((await mine.api.get("/editor/projects")).body.data.projects).toEqual([]);
  expect((await theirs.api.get(getPath(project))).body.data.title).toBe("Cut");
});

test("200 updates the read revision and increases updated_at even when the clock stands still; 409 for a stale update", async () => {
  const { api } = await createTestTenant();
  const project = await demoProject(api);
  const [clip] = project.clips;
  const clips = [{ ...clip, end_ms: 2000, source_start_ms: 1000, source_end_ms: 5000, speed: 2 }];
  const text_clips = [{ clip_id: "t1", text: "Hi", start_ms: 0, end_ms: 900, role: "title" }];
  // Simulates a machine whose clock is ahead.
  await queryRows(
    sql`update editor_projects set updated_at = now() + interval '1 hour' where id = ${project.project_id} returning id`,
  );
  const read = (await api.get(getPath(project))).body.data;
  const changed = await api.patch(getPath(project), { expected_updated_at: read.updated_at, clips, text_clips });
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

  const late = await api.patch(getPath(project), { expected_updated_at: read.updated_at, title: "Late" });
  expect([late.status, late.body.error_code]).toEqual([409, "editor_conflict"]);
  expect((await api.get(getPath(project))).body.data).toEqual(after);
  const offset = `${new Date(new Date(after.updated_at).getTime() + 7_200_000).toISOString().slice(0, -1)}+02:00`;
  const renamed = await api.patch(getPath(project), { expected_updated_at: offset, title: "Later" });
  expect([renamed.body.data.title, renamed.body.data.undo]).toEqual(["Later", after.undo]);
});

test("200 for one of many concurrent updates of a revision, 409 for the others", async () => {
  const { api } = await createTestTenant();
  const project = await demoProject(api);
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      api.patch(getPath(project), { expected_updated_at: project.updated_at, title: `Title ${at}` }),
    ),
  );
  const won = responses.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  for (const { status, body } of responses) if (status !== 200) expect(body.error_code).toBe("editor_conflict");
  expect((await api.get(getPath(project))).body.data.title).toBe(won[0]?.body.data.title);
});

test("200 a change of clips makes a render stale, a new title does not; 409 while the project is locked", async () => {
  const { api } = await createTestTenant();
  const project = await demoProject(api);
  const render = JSON.stringify({ status: "current", url: "https://cdn.example.com/r.mp4", rendered_at: new Date() });
  await queryRows(sql`update editor_projects set document = jsonb_set(document, '{render}', ${render}::jsonb)
    where id = ${project.project_id} returning id`);
  const named = (await api.patch(getPath(project), { expected_updated_at: project.updated_at, title: "New" })).body
    .data;
  expect(named.render.status).toBe("current");
  const change = { expected_updated_at: named.updated_at, clips: project.clips };
  await queryRows(
    sql`update editor_projects set assistant_lock_until = now() + interval '1 minute' where id = ${project.project_id} returning id`,
  );
  expect((await api.patch(getPath(project), change)).body.error_code).toBe("editor_locked");
  await queryRows(
    sql`update editor_projects set assistant_lock_until = null where id = ${project.project_id} returning id`,
  );
  expect((await api.patch(getPath(project), change)).body.data.render).toMatchObject({ status: "stale" });
});

const WRONG_CLIPS: [what: string, change: object][] = [
  ["an unknown asset", { asset_id: "unknown" }],
  ["an end before its start", { start_ms: 3000, end_ms: 2000 }],
  ["a negative start", { start_ms: -1, end_ms: 5999 }],
  ["a source end after the end of its asset", { source_end_ms: 6001, end_ms: 6001 }],
  ["an empty source range", { source_start_ms: 2000, source_end_ms: 2000 }],
  ["a length that contradicts its speed", { speed: 2 }],
  ["speed 0", { speed: 0 }],
  ["a negative volume", { volume: -0.1 }],
  ["a negative track", { track: -1 }],
];

test.each(WRONG_CLIPS)("422 invalid_document reports the clip with %s", async (_, change) => {
  const { api } = await createTestTenant();
  const project = await demoProject(api);
  const clips = project.clips.map((clip) => ({ ...clip, clip_id: "the-clip", ...change }));
  const response = await api.patch(getPath(project), { expected_updated_at: project.updated_at, clips });
  expect([response.status, response.body.error_code]).toEqual([422, "invalid_document"]);
  expect(response.body.message).toContain("the-clip");
  expect((await api.get(getPath(project))).body.data).toEqual(project);
});

test("422 invalid_document for a repeated clip_id and a text clip that ends before it starts", async () => {
  const { api } = await createTestTenant();
  const project = await demoProject(api);
  const text = { clip_id: "t", text: "Hi", start_ms: 10, end_ms: 10, role: "title" };
  for (const change of [{ clips: [...project.clips, ...project.clips] }, { text_clips: [text] }]) {
    const response = await api.patch(getPath(project), { expected_updated_at: project.updated_at, ...change });
    expect(response.body.error_code).toBe("invalid_document");
  }
});

test("422 invalid_payload for an empty change, without expected_updated_at, or with an incomplete clip", async () => {
  const { api } = await createTestTenant();
  const project = await demoProject(api);
  const expected_updated_at = project.updated_at;
  const [{ muted: _, ...clip } = { muted: false }] = project.clips;
  for (const body of [{ expected_updated_at }, { title: "a" }, { expected_updated_at, clips: [clip] }]) {
    const response = await api.patch(getPath(project), body);
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
  }
});

test("200 deletes a project with its activity feed and keeps its files", async () => {
  const { api } = await createTestTenant();
  const project = await demoProject(api);
  const response = await api.delete(getPath(project));
  expect([response.status, response.body.data]).toEqual([200, { project_id: project.project_id, deleted: true }]);
  expect((await api.delete(getPath(project))).body.error_code).toBe("project_not_found");
  const [left] = await queryRows<{ files: number; feed: number }>(sql`select
    (select count(*)::int from files where id = ${project.assets[0]?.file_id}) as files,
    (select count(*)::int from editor_activity where project_id = ${project.project_id}) as feed`);
  expect(left).toEqual({ files: 1, feed: 0 });
});

test("a warm read takes 1 round trip, a write 2, an idempotent write 3", async () => {
  const { api } = await createTestTenant();
  const project = await demoProject(api);
  const cost = async (method: string, path: string, body?: object, key?: string) => {
    const requestId = newId();
    const headers = { "X-Request-Id": requestId, ...(key ? { "Idempotency-Key": key } : {}) };
    const { result, cost } = await measureCost(requestId, () => api.call(method, path, { body, headers }));
    return [result.status, cost.round_trips];
  };
  const create = { title: "a", file_ids: project.assets.map(({ file_id }) => file_id) };
  expect(await cost("GET", "/editor/projects")).toEqual([200, 1]);
  expect(await cost("GET", getPath(project))).toEqual([200, 1]);
  expect(await cost("GET", `${getPath(project)}/transcript`)).toEqual([200, 1]);
  expect(await cost("POST", "/editor/projects", create)).toEqual([201, 2]);
  expect(await cost("POST", "/editor/projects", create, newId())).toEqual([201, 3]);
  const patch = { expected_updated_at: project.updated_at, title: "b" };
  expect(await cost("PATCH", getPath(project), patch, newId())).toEqual([200, 3]);
  expect(await cost("DELETE", getPath(project))).toEqual([200, 2]);
});
