// Captions over HTTP: texts and times, precedence of errors, and quota.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { insertWorkspace, savePlan } from "../../lib/queries/tenants.ts";
import {
  type Client,
  createClient,
  createTestKey,
  createTestTenant,
  openTestDatabase,
  queryRows,
} from "../support/harness.ts";
import { stopClock } from "../support/stop-clock.ts";
import { createSpokenVideo } from "../transcription/spoken-video.ts";
import {
  areClose,
  createProject,
  createSpokenProject,
  requestCaptions,
  SPOKEN_WORDS,
  toComparableWords,
  uploadFile,
} from "./factories.ts";

const readTranscript = async (api: Client, id: string) =>
  (await api.get(`/editor/projects/${id}/transcript`)).body.data;

test("200 adds captions at the spoken times, split at a pause, and a transcript", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 4000, SPOKEN_WORDS);
  const before = await readTranscript(api, project.project_id);
  expect(before).toMatchObject({ words: [], is_current: false, language: null, updated_at: project.updated_at });

  const response = await requestCaptions(api, project.project_id);
  expect([response.status, response.body.message]).toEqual([200, "Captions added."]);
  const after = response.body.data;
  expect(
    areClose(
      toComparableWords(after),
      [
        ["hello world", 500, 1700],
        ["welcome", 2400, 3400],
      ],
      20,
    ),
  ).toBe(true);
  expect(after.updated_at > project.updated_at).toBe(true);
  expect(after.undo).toMatchObject({ revision: 1, label: "Add captions" });
  expect(after.clips).toEqual(project.clips);
  expect((await api.get(`/editor/projects/${project.project_id}`)).body.data).toEqual(after);

  const transcript = await readTranscript(api, project.project_id);
  expect(transcript).toMatchObject({ is_current: true, language: "en", updated_at: after.updated_at });
  expect(transcript.words.map(({ text }: { text: string }) => text)).toEqual(["hello", "world", "welcome"]);
});

test("200 unchanged for a project with captions, without consuming quota", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 2000, SPOKEN_WORDS.slice(0, 2));
  const env = { CAPTIONS_PER_HOUR: "1" };
  const first = await requestCaptions(api, project.project_id, { env });
  const second = await requestCaptions(api, project.project_id, { env });
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body.data).toEqual(first.body.data);
  expect(second.headers.get("ratelimit")).toMatch(/^"captions";r=0;/);
  const changed = await requestCaptions(api, project.project_id, {
    env,
    body: { expected_updated_at: project.updated_at },
  });
  expect([changed.status, changed.headers.get("ratelimit-policy")]).toEqual([409, '"captions";q=1;w=3600']);
});

test("a response that is repeated, and 409 for a key that was used before, report the quota", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 2000, SPOKEN_WORDS.slice(0, 2));
  const request = { env: { CAPTIONS_PER_HOUR: "3" }, key: newId() };
  for (const [body, status, replayed] of [
    [{}, 200, null],
    [{}, 200, "true"],
    [{ note: "another" }, 409, null],
  ] as const) {
    const response = await requestCaptions(api, project.project_id, { ...request, body });
    expect([response.status, response.headers.get("idempotent-replayed")]).toEqual([status, replayed]);
    expect(response.headers.get("ratelimit")).toMatch(/^"captions";r=2;/);
    expect(response.headers.get("ratelimit-policy")).toBe('"captions";q=3;w=3600');
  }
});

test("200 unchanged for a project without speech, with an empty transcript", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 2000, []);
  const response = await requestCaptions(api, project.project_id);
  expect([response.status, response.body.message]).toEqual([200, "No speech was found."]);
  expect(response.body.data).toEqual((await api.get(`/editor/projects/${project.project_id}`)).body.data);
  expect(response.body.data.updated_at).toBe(project.updated_at);
  expect(await readTranscript(api, project.project_id)).toMatchObject({ words: [], is_current: true });
});

test("200 is_current is false after an edit of clips, not of the title, and true again when the edit is undone", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 2000, SPOKEN_WORDS.slice(0, 2));
  const { updated_at } = (await requestCaptions(api, project.project_id)).body.data;
  const path = `/editor/projects/${project.project_id}`;
  const change = async (expected: string, fields: object) =>
    (await api.patch(path, { expected_updated_at: expected, ...fields })).body.data.updated_at;
  const named = await change(updated_at, { title: "Another" });
  expect((await readTranscript(api, project.project_id)).is_current).toBe(true);
  const muted = await change(named, { clips: project.clips.map((clip) => ({ ...clip, muted: true })) });
  expect(await readTranscript(api, project.project_id)).toMatchObject({ is_current: false, words: [{}, {}] });
  await change(muted, { clips: project.clips });
  expect((await readTranscript(api, project.project_id)).is_current).toBe(true);
});

test("200 a render becomes stale only when captions are added", async () => {
  const { api } = await createTestTenant();
  const rendered = async (words: typeof SPOKEN_WORDS) => {
    const project = await createSpokenProject(api, 2000, words);
    const render = JSON.stringify({ status: "current", url: "https://cdn.example.com/a.mp4", rendered_at: new Date() });
    await queryRows(sql`update editor_projects set document = jsonb_set(document, '{render}', ${render}::jsonb)
      where id = ${project.project_id} returning id`);
    return (await requestCaptions(api, project.project_id)).body.data.render;
  };
  expect(await rendered(SPOKEN_WORDS.slice(0, 1))).toMatchObject({
    status: "stale",
    url: "https://cdn.example.com/a.mp4",
  });
  expect(await rendered([])).toMatchObject({ status: "current" });
});

test("200 stores the note in the activity feed", async () => {
  const tenant = await createTestTenant();
  const project = await createSpokenProject(tenant.api, 2000, SPOKEN_WORDS.slice(0, 1));
  await requestCaptions(tenant.api, project.project_id, { body: { note: "For the launch 🚀" } });
  const feed = await queryRows<{ kind: string; note: string | null; actor: string }>(
    sql`select kind, note, actor from editor_activity where project_id = ${project.project_id} order by id`,
  );
  const actor = tenant.token.split(".")[0];
  expect(feed).toEqual([
    { kind: "created", note: null, actor },
    { kind: "captions_added", note: "For the launch 🚀", actor },
  ]);
});

test("422 invalid_payload for a note that is too long or has line breaks, 400 for invalid JSON", async () => {
  const { api } = await createTestTenant();
  const id = newId();
  for (const note of ["x".repeat(141), "two\nlines", "two\u2028lines", "a\ttab", 7]) {
    const response = await requestCaptions(api, id, { body: { note } });
    expect([response.status, response.body.error_code]).toEqual([422, "invalid_payload"]);
    expect(Object.keys(response.body.issues.fieldErrors)).toEqual(["note"]);
  }
  expect((await requestCaptions(api, id, { body: { note: "🚀".repeat(140) } })).body.error_code).toBe(
    "project_not_found",
  );
  expect((await requestCaptions(api, id, { body: { expected_updated_at: "yesterday" } })).status).toBe(422);
});

test("errors take precedence in the order 404, locked, conflict, quota, no audio", async () => {
  const [{ api }, other] = [await createTestTenant(), await createTestTenant()];
  const project = await createSpokenProject(api, 2000, null);
  const id = project.project_id;
  const env = { CAPTIONS_PER_HOUR: "1" };
  const body = { expected_updated_at: new Date(0).toISOString() };
  const send = async (more: object = {}) => (await requestCaptions(api, id, { env, ...more })).body.error_code;
  expect((await requestCaptions(other.api, id)).body.error_code).toBe("project_not_found");
  expect(await send()).toBe("no_audio_source");

  // The quota of one per hour is consumed by another project of the same owner.
  await requestCaptions(api, (await createSpokenProject(api, 2000, SPOKEN_WORDS.slice(0, 1))).project_id, { env });
  const rejected = await requestCaptions(api, id, { env });
  expect([rejected.status, rejected.body.error_code]).toEqual([429, "rate_limited"]);
  expect(rejected.body.retry_after_seconds).toBeGreaterThan(0);
  expect(rejected.headers.get("retry-after")).toBe(String(rejected.body.retry_after_seconds));
  expect(rejected.headers.get("ratelimit-policy")).toBe('"captions";q=1;w=3600');

  expect(await send({ body })).toBe("editor_conflict");
  await queryRows(
    sql`update editor_projects set assistant_lock_until = now() + interval '1 minute' where id = ${id} returning id`,
  );
  const held = await requestCaptions(api, id, { env, body });
  expect([held.status, held.body.error_code]).toEqual([409, "editor_locked"]);
  await queryRows(
    sql`update editor_projects set assistant_lock_until = now() - interval '1 second' where id = ${id} returning id`,
  );
  expect(await send({ body })).toBe("editor_conflict");
});

test("a replay takes precedence over all errors while its response is stored", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 2000, SPOKEN_WORDS.slice(0, 1));
  const key = newId();
  const first = await requestCaptions(api, project.project_id, { key });
  expect((await api.delete(`/editor/projects/${project.project_id}`)).status).toBe(200);
  const again = await requestCaptions(api, project.project_id, { key });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(again.body).toEqual(first.body);
  expect((await requestCaptions(api, project.project_id)).status).toBe(404);
});

test("409 idempotency_key_reused for another body; keys of a grant are separate", async () => {
  const tenant = await createTestTenant();
  const project = await createSpokenProject(tenant.api, 2000, SPOKEN_WORDS.slice(0, 1));
  const key = newId();
  expect((await requestCaptions(tenant.api, project.project_id, { key })).status).toBe(200);
  const reused = await requestCaptions(tenant.api, project.project_id, { key, body: { note: "other" } });
  expect([reused.status, reused.body.error_code]).toEqual([409, "idempotency_key_reused"]);
  const grant = createClient(await createTestKey(tenant, { kind: "grant" }));
  expect((await requestCaptions(grant, project.project_id, { key, body: { note: "other" } })).status).toBe(200);
});

test("429 the quota is per account owner, across workspaces and keys", async () => {
  stopClock();
  const tenant = await createTestTenant();
  const second = await insertWorkspace(openTestDatabase(), {
    id: newId(),
    ownerId: tenant.ownerId,
    name: "Second",
  });
  await savePlan(openTestDatabase(), second, newId(), { tier: "creator", status: "active", paidUntil: null });
  const env = { CAPTIONS_PER_HOUR: "2" };
  const video = await createSpokenVideo(2000, SPOKEN_WORDS.slice(0, 1));
  const project = async (api: Client) =>
    (await createProject(api, [await uploadFile(api, video, "video/quicktime")])).project_id;
  const grant = createClient(await createTestKey(tenant, { kind: "grant" }));
  const elsewhere = createClient(await createTestKey(second));
  const first = await requestCaptions(tenant.api, await project(tenant.api), { env });
  expect(first.headers.get("ratelimit")).toMatch(/^"captions";r=1;t=\d+$/);
  expect((await requestCaptions(grant, await project(grant), { env })).status).toBe(200);
  for (const api of [tenant.api, grant, elsewhere]) {
    expect((await requestCaptions(api, await project(api), { env })).body.error_code).toBe("rate_limited");
  }
  const stranger = (await createTestTenant()).api;
  expect((await requestCaptions(stranger, await project(stranger), { env })).status).toBe(200);
});

test("422 no_audio_source when every clip is muted, has volume 0 or is an image, without consuming quota", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 2000, SPOKEN_WORDS.slice(0, 1));
  const path = `/editor/projects/${project.project_id}`;
  let expected = project.updated_at;
  for (const hushed of [{ muted: true }, { volume: 0 }]) {
    const clips = project.clips.map((clip) => ({ ...clip, ...hushed }));
    expected = (await api.patch(path, { expected_updated_at: expected, clips })).body.data.updated_at;
    const response = await requestCaptions(api, project.project_id, { env: { CAPTIONS_PER_HOUR: "1" } });
    expect([response.status, response.body.error_code]).toEqual([422, "no_audio_source"]);
    expect(response.headers.get("ratelimit")).toMatch(/^"captions";r=1;/);
  }
});

test("422 invalid_document when a file was deleted or the document is invalid", async () => {
  const { api } = await createTestTenant();
  const gone = await createSpokenProject(api, 2000, SPOKEN_WORDS.slice(0, 1));
  await queryRows(sql`delete from files where id = ${gone.assets[0]?.file_id} returning id`);
  const deleted = await requestCaptions(api, gone.project_id);
  expect([deleted.status, deleted.body.error_code]).toEqual([422, "invalid_document"]);
  expect(deleted.body.message).toMatch(/deleted/);
  const odd = await createSpokenProject(api, 2000, SPOKEN_WORDS.slice(0, 1));
  await queryRows(sql`update editor_projects set document = jsonb_set(document, '{clips,0,speed}', '0')
    where id = ${odd.project_id} returning id`);
  expect((await requestCaptions(api, odd.project_id)).body.error_code).toBe("invalid_document");
});

test("503 provider_unavailable without a speech-to-text service, without consuming quota", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 2000, SPOKEN_WORDS.slice(0, 1));
  const response = await requestCaptions(api, project.project_id, { env: { SPEECH_URL: undefined } });
  expect([response.status, response.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect(response.headers.get("ratelimit")).toMatch(/;r=20;/);
});
