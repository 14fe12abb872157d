// Captions over HTTP: what they say and when, what refuses them in which order, and what each request spends.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import * as tenants from "../../lib/queries/tenants.ts";
import { type Client, client, database, mintKey, mintTenant, rows } from "../harness.ts";
import { tonedVideo } from "../speech/toned.ts";
import { captions, fileOf, near, projectFrom, projectOf, SPOKEN, told } from "./project.ts";

const transcriptOf = async (api: Client, id: string) => (await api.get(`/editor/projects/${id}/transcript`)).body.data;

test("200 words become captions where they are spoken, broken at a pause, and a transcript", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 4000, SPOKEN);
  const before = await transcriptOf(api, project.project_id);
  expect(before).toMatchObject({ words: [], is_current: false, language: null, updated_at: project.updated_at });

  const answer = await captions(api, project.project_id);
  expect([answer.status, answer.body.message]).toEqual([200, "Captions added."]);
  const after = answer.body.data;
  expect(
    near(
      told(after),
      [
        ["hello world", 500, 1200],
        ["welcome", 2400, 2700],
      ],
      20,
    ),
  ).toBe(true);
  expect(after.updated_at > project.updated_at).toBe(true);
  expect(after.undo).toMatchObject({ revision: 1, label: "Add captions" });
  expect(after.clips).toEqual(project.clips);
  expect((await api.get(`/editor/projects/${project.project_id}`)).body.data).toEqual(after);

  const transcript = await transcriptOf(api, project.project_id);
  expect(transcript).toMatchObject({ is_current: true, language: "en", updated_at: after.updated_at });
  expect(transcript.words.map(({ text }: { text: string }) => text)).toEqual(["hello", "world", "welcome"]);
});

test("200 unchanged for a cut that has captions, whatever the key, and nothing is spent", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 2000, SPOKEN.slice(0, 2));
  const env = { CAPTIONS_PER_HOUR: "1" };
  const first = await captions(api, project.project_id, { env });
  const second = await captions(api, project.project_id, { env });
  expect([first.status, second.status]).toEqual([200, 200]);
  expect(second.body.data).toEqual(first.body.data);
  expect(second.headers.get("ratelimit")).toMatch(/^"captions";r=0;/);
  const changed = await captions(api, project.project_id, { env, body: { expected_updated_at: project.updated_at } });
  expect([changed.status, changed.headers.get("ratelimit-policy")]).toEqual([409, '"captions";q=1;w=3600']);
});

test("200 unchanged for a cut in which nobody speaks, with a transcript that says so", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 2000, []);
  const answer = await captions(api, project.project_id);
  expect([answer.status, answer.body.message]).toEqual([200, "Nobody speaks in the cut."]);
  expect(answer.body.data).toEqual((await api.get(`/editor/projects/${project.project_id}`)).body.data);
  expect(answer.body.data.updated_at).toBe(project.updated_at);
  expect(await transcriptOf(api, project.project_id)).toMatchObject({ words: [], is_current: true });
});

test("an edit of the clips makes the transcript old, one of the title does not; undoing it makes it current again", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 2000, SPOKEN.slice(0, 2));
  const { updated_at } = (await captions(api, project.project_id)).body.data;
  const path = `/editor/projects/${project.project_id}`;
  const change = async (expected: string, fields: object) =>
    (await api.patch(path, { expected_updated_at: expected, ...fields })).body.data.updated_at;
  const named = await change(updated_at, { title: "Another" });
  expect((await transcriptOf(api, project.project_id)).is_current).toBe(true);
  const muted = await change(named, { clips: project.clips.map((clip) => ({ ...clip, muted: true })) });
  expect(await transcriptOf(api, project.project_id)).toMatchObject({ is_current: false, words: [{}, {}] });
  await change(muted, { clips: project.clips });
  expect((await transcriptOf(api, project.project_id)).is_current).toBe(true);
});

test("a render is stale once captions are added, and stays what it is when none are", async () => {
  const { api } = await mintTenant();
  const rendered = async (words: typeof SPOKEN) => {
    const project = await projectOf(api, 2000, words);
    const render = JSON.stringify({ status: "current", url: "https://cdn.example.com/a.mp4", rendered_at: new Date() });
    await rows(sql`update editor_projects set document = jsonb_set(document, '{render}', ${render}::jsonb)
      where id = ${project.project_id} returning id`);
    return (await captions(api, project.project_id)).body.data.render;
  };
  expect(await rendered(SPOKEN.slice(0, 1))).toMatchObject({ status: "stale", url: "https://cdn.example.com/a.mp4" });
  expect(await rendered([])).toMatchObject({ status: "current" });
});

test("the note stands in the activity feed beside who added the captions", async () => {
  const tenant = await mintTenant();
  const project = await projectOf(tenant.api, 2000, SPOKEN.slice(0, 1));
  await captions(tenant.api, project.project_id, { body: { note: "For the launch 🚀" } });
  const feed = await rows<{ kind: string; note: string | null; actor: string }>(
    sql`select kind, note, actor from editor_activity where project_id = ${project.project_id} order by id`,
  );
  const actor = tenant.token.split(".")[0];
  expect(feed).toEqual([
    { kind: "created", note: null, actor },
    { kind: "captions_added", note: "For the launch 🚀", actor },
  ]);
});

test("422 invalid_payload for a note that is too long or has line breaks, 400 for a body that is no JSON", async () => {
  const { api } = await mintTenant();
  const id = newId();
  for (const note of ["x".repeat(141), "two\nlines", "two\u2028lines", "a\ttab", 7]) {
    const answer = await captions(api, id, { body: { note } });
    expect([answer.status, answer.body.error_code]).toEqual([422, "invalid_payload"]);
    expect(Object.keys(answer.body.issues.fieldErrors)).toEqual(["note"]);
  }
  expect((await captions(api, id, { body: { note: "🚀".repeat(140) } })).body.error_code).toBe("project_not_found");
  expect((await captions(api, id, { body: { expected_updated_at: "yesterday" } })).status).toBe(422);
});

test("404, then locked, then changed, then the budget, then no sound: the first that holds is told", async () => {
  const [{ api }, other] = [await mintTenant(), await mintTenant()];
  const project = await projectOf(api, 2000, null);
  const id = project.project_id;
  const env = { CAPTIONS_PER_HOUR: "1" };
  const body = { expected_updated_at: new Date(0).toISOString() };
  const ask = async (more: object = {}) => (await captions(api, id, { env, ...more })).body.error_code;
  expect((await captions(other.api, id)).body.error_code).toBe("project_not_found");
  expect(await ask()).toBe("no_audio_source");

  // The only one of this hour is spent on another project of the same owner.
  await captions(api, (await projectOf(api, 2000, SPOKEN.slice(0, 1))).project_id, { env });
  const refused = await captions(api, id, { env });
  expect([refused.status, refused.body.error_code]).toEqual([429, "rate_limited"]);
  expect(refused.body.retry_after_seconds).toBeGreaterThan(0);
  expect(refused.headers.get("retry-after")).toBe(String(refused.body.retry_after_seconds));
  expect(refused.headers.get("ratelimit-policy")).toBe('"captions";q=1;w=3600');

  expect(await ask({ body })).toBe("editor_conflict");
  await rows(
    sql`update editor_projects set assistant_lock_until = now() + interval '1 minute' where id = ${id} returning id`,
  );
  const held = await captions(api, id, { env, body });
  expect([held.status, held.body.error_code]).toEqual([409, "editor_locked"]);
  await rows(
    sql`update editor_projects set assistant_lock_until = now() - interval '1 second' where id = ${id} returning id`,
  );
  expect(await ask({ body })).toBe("editor_conflict");
});

test("the replay of a key comes before all of that, for as long as the answer is kept", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 2000, SPOKEN.slice(0, 1));
  const key = newId();
  const first = await captions(api, project.project_id, { key });
  expect((await api.delete(`/editor/projects/${project.project_id}`)).status).toBe(200);
  const again = await captions(api, project.project_id, { key });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(again.body).toEqual(first.body);
  expect((await captions(api, project.project_id)).status).toBe(404);
});

test("409 idempotency_key_reused for another body; a grant of the same workspace has keys of its own", async () => {
  const tenant = await mintTenant();
  const project = await projectOf(tenant.api, 2000, SPOKEN.slice(0, 1));
  const key = newId();
  expect((await captions(tenant.api, project.project_id, { key })).status).toBe(200);
  const reused = await captions(tenant.api, project.project_id, { key, body: { note: "other" } });
  expect([reused.status, reused.body.error_code]).toEqual([409, "idempotency_key_reused"]);
  const grant = client(await mintKey(tenant, { kind: "grant" }));
  expect((await captions(grant, project.project_id, { key, body: { note: "other" } })).status).toBe(200);
});

test("429 the budget is one per account owner, whatever the workspace and the key", async () => {
  const tenant = await mintTenant();
  const second = await tenants.createWorkspace(database(), { id: newId(), ownerId: tenant.ownerId, name: "Second" });
  await tenants.setPlan(database(), second, newId(), { tier: "creator", status: "active", paidUntil: null });
  const env = { CAPTIONS_PER_HOUR: "2" };
  const video = await tonedVideo(2000, SPOKEN.slice(0, 1));
  const project = async (api: Client) =>
    (await projectFrom(api, [await fileOf(api, video, "video/quicktime")])).project_id;
  const grant = client(await mintKey(tenant, { kind: "grant" }));
  const elsewhere = client(await mintKey(second));
  const first = await captions(tenant.api, await project(tenant.api), { env });
  expect(first.headers.get("ratelimit")).toMatch(/^"captions";r=1;t=\d+$/);
  expect((await captions(grant, await project(grant), { env })).status).toBe(200);
  for (const api of [tenant.api, grant, elsewhere]) {
    expect((await captions(api, await project(api), { env })).body.error_code).toBe("rate_limited");
  }
  const stranger = (await mintTenant()).api;
  expect((await captions(stranger, await project(stranger), { env })).status).toBe(200);
});

test("422 no_audio_source when everything is muted, silent by volume or a picture; nothing is spent on it", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 2000, SPOKEN.slice(0, 1));
  const path = `/editor/projects/${project.project_id}`;
  let expected = project.updated_at;
  for (const hushed of [{ muted: true }, { volume: 0 }]) {
    const clips = project.clips.map((clip) => ({ ...clip, ...hushed }));
    expected = (await api.patch(path, { expected_updated_at: expected, clips })).body.data.updated_at;
    const answer = await captions(api, project.project_id, { env: { CAPTIONS_PER_HOUR: "1" } });
    expect([answer.status, answer.body.error_code]).toEqual([422, "no_audio_source"]);
    expect(answer.headers.get("ratelimit")).toMatch(/^"captions";r=1;/);
  }
});

test("422 invalid_document when a file of the cut was deleted, or the document makes no sense", async () => {
  const { api } = await mintTenant();
  const gone = await projectOf(api, 2000, SPOKEN.slice(0, 1));
  await rows(sql`delete from files where id = ${gone.assets[0]?.file_id} returning id`);
  const unheard = await captions(api, gone.project_id);
  expect([unheard.status, unheard.body.error_code]).toEqual([422, "invalid_document"]);
  expect(unheard.body.message).toMatch(/deleted/);
  const odd = await projectOf(api, 2000, SPOKEN.slice(0, 1));
  await rows(sql`update editor_projects set document = jsonb_set(document, '{clips,0,speed}', '0')
    where id = ${odd.project_id} returning id`);
  expect((await captions(api, odd.project_id)).body.error_code).toBe("invalid_document");
});

test("503 provider_unavailable where no recogniser is configured; nothing is spent", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 2000, SPOKEN.slice(0, 1));
  const answer = await captions(api, project.project_id, { env: { SPEECH_URL: undefined } });
  expect([answer.status, answer.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect(answer.headers.get("ratelimit")).toMatch(/;r=20;/);
});
