// Whatever happens while a cut is heard: captions are added once or not at all, and the key says which.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Client, mintTenant, rows, vars } from "../harness.ts";
import { captions, projectOf, SPOKEN, told } from "./project.ts";
import { type OwnSpeech, ownSpeech } from "./recogniser.ts";

let speech: OwnSpeech;
beforeAll(async () => {
  speech = await ownSpeech();
});
afterAll(() => speech.close());
afterEach(() => {
  speech.meets();
  vi.useRealTimers();
});

const read = async (api: Client, id: string) => (await api.get(`/editor/projects/${id}`)).body.data;

/** Budget spent by the owner of a project in this hour, as told by a request that spends nothing. */
async function left(api: Client): Promise<string | null> {
  const silent = await projectOf(api, 1000, null);
  return (await captions(api, silent.project_id)).headers.get("ratelimit");
}

test("20 parallel requests with one key: one transcription, one set of captions, equal answers", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 3000, SPOKEN);
  const before = speech.asked();
  const key = newId();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => captions(api, project.project_id, { key, env: speech.env })),
  );
  expect(speech.asked() - before).toBe(1);
  const made = answers.filter(({ status }) => status === 200);
  const others = answers.filter(({ status }) => status !== 200);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  for (const { status, body } of others) expect([status, body.error_code]).toEqual([409, "request_in_progress"]);
  const later = await captions(api, project.project_id, { key, env: speech.env });
  expect(later.body).toEqual(made[0]?.body);
  expect(told(await read(api, project.project_id))).toHaveLength(2);
});

test("20 parallel requests with 20 keys: one set of captions, the others told of the change", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 3000, SPOKEN);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => captions(api, project.project_id, { env: speech.env })),
  );
  const codes = answers.map(({ status, body }) => body.error_code ?? status);
  expect(new Set(codes).size).toBeLessThanOrEqual(2);
  expect(codes).toContain(200);
  for (const code of codes) expect([200, "editor_conflict"]).toContain(code);
  const after = await read(api, project.project_id);
  expect(told(after)).toHaveLength(2);
  for (const { status, body } of answers) if (status === 200) expect(body.data).toEqual(after);
});

test("409 editor_conflict for an edit during the transcription: no captions, the budget is spent, the key is free", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 3000, SPOKEN);
  const path = `/editor/projects/${project.project_id}`;
  const key = newId();
  speech.meets(async () => {
    const edit = await api.patch(path, { expected_updated_at: project.updated_at, title: "Meanwhile" });
    expect(edit.status).toBe(200);
    return undefined;
  });
  const refused = await captions(api, project.project_id, { key, env: speech.env });
  expect([refused.status, refused.body.error_code]).toEqual([409, "editor_conflict"]);
  const between = await read(api, project.project_id);
  expect([between.title, between.text_clips]).toEqual(["Meanwhile", []]);
  expect((await api.get(`${path}/transcript`)).body.data.is_current).toBe(false);
  expect(await left(api)).toMatch(/;r=19;/);

  // What was heard is kept: the next request asks nobody, and its key is the same or another one.
  const before = speech.asked();
  const again = await captions(api, project.project_id, { key, env: speech.env, body: { note: "again" } });
  expect([again.status, told(again.body.data).length, speech.asked()]).toEqual([200, 2, before]);
});

/** Runs once before the statement that writes captions, or the word that nobody speaks, reaches the database. */
async function beforeTheWrite<Result>(first: () => Promise<void>, work: () => Promise<Result>): Promise<Result> {
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const writes =
      String(input) === vars.DATABASE_FETCH_URL && /captions_added|set \\"transcript\\"/.test(String(init?.body));
    if (writes) {
      globalThis.fetch = plain;
      await first();
    }
    return plain(input, init);
  };
  return work().finally(() => {
    globalThis.fetch = plain;
  });
}

const set = (id: string, change: ReturnType<typeof sql>) =>
  rows(sql`update editor_projects set ${change} where id = ${id} returning id`);

test("409 for what happens in the last instant before the write: an edit, the assistant's lock, a deletion", async () => {
  const { api } = await mintTenant();
  const edit = sql`revision = revision + 1, updated_at = updated_at + interval '1 ms'`;
  const lock = sql`assistant_lock_until = now() + interval '1 minute'`;
  for (const [words, change, code] of [
    [SPOKEN, edit, "editor_conflict"],
    [[], edit, "editor_conflict"],
    [SPOKEN, lock, "editor_locked"],
  ] as const) {
    const project = await projectOf(api, 3000, words);
    const refused = await beforeTheWrite(
      async () => void (await set(project.project_id, change)),
      () => captions(api, project.project_id, { env: speech.env }),
    );
    expect([refused.status, refused.body.error_code]).toEqual([409, code]);
    expect((await read(api, project.project_id)).text_clips).toEqual([]);
  }
  const gone = await projectOf(api, 3000, SPOKEN);
  const refused = await beforeTheWrite(
    async () => void (await api.delete(`/editor/projects/${gone.project_id}`)),
    () => captions(api, gone.project_id, { env: speech.env }),
  );
  expect([refused.status, refused.body.error_code]).toEqual([404, "project_not_found"]);
});

test("a database that goes away before the write leaves the project unchanged and the key free", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 3000, SPOKEN);
  const key = newId();
  const failed = await beforeTheWrite(
    async () => {
      throw new TypeError("fetch failed");
    },
    () => captions(api, project.project_id, { key, env: speech.env }),
  );
  expect([failed.status, failed.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect(await read(api, project.project_id)).toEqual(project);
  const asked = speech.asked();
  const again = await captions(api, project.project_id, { key, env: speech.env });
  expect([again.status, told(again.body.data).length, speech.asked()]).toEqual([200, 2, asked]);
});

test("a Worker that dies before the write leaves the project unchanged, and the key is free within a minute", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 3000, SPOKEN);
  const key = newId();
  const ask = () => captions(api, project.project_id, { key, env: speech.env });
  // Dead: nothing that it still says is heard, neither by the database nor by Redis.
  const plain = globalThis.fetch;
  let dead = false;
  const die = async () => {
    dead = true;
    globalThis.fetch = die;
    throw new TypeError("the worker is dead");
  };
  await beforeTheWrite(die, ask).finally(() => {
    globalThis.fetch = plain;
  });
  expect(dead).toBe(true);
  expect(await read(api, project.project_id)).toEqual(project);
  expect((await ask()).body.error_code).toBe("request_in_progress");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 46_000 });
  expect((await ask()).status).toBe(200);
});

test("a request that is still at work after its first lease holds its key", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 3000, SPOKEN);
  const key = newId();
  const ask = () => captions(api, project.project_id, { key, env: speech.env });
  const beats: (() => unknown)[] = [];
  const plain = globalThis.setInterval;
  // The heart beats when this test says so.
  globalThis.setInterval = ((work: () => unknown, ms: number) => {
    if (ms === 15_000) beats.push(work);
    return plain(() => undefined, 60_000);
  }) as typeof globalThis.setInterval;
  let meanwhile: unknown;
  speech.meets(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30_000 });
    await Promise.all(beats.map((beat) => beat()));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30_000 });
    meanwhile = (await ask()).body.error_code;
    return undefined;
  });
  try {
    expect((await ask()).status).toBe(200);
  } finally {
    globalThis.setInterval = plain;
  }
  expect(meanwhile).toBe("request_in_progress");
});

test("502 transcription_failed after two tries, the key free, the budget spent; a recogniser that comes back is asked", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 3000, SPOKEN);
  const key = newId();
  const ask = () => captions(api, project.project_id, { key, env: speech.env });
  const asked = speech.asked();
  speech.meets(
    () => 500,
    () => 503,
  );
  const failed = await ask();
  expect([failed.status, failed.body.error_code, speech.asked() - asked]).toEqual([502, "transcription_failed", 2]);
  expect(failed.headers.get("ratelimit")).toMatch(/;r=19;/);
  expect(await read(api, project.project_id)).toEqual(project);
  speech.meets(() => 500);
  expect((await ask()).status).toBe(200);
});

test("502 at once when the recogniser says no, or does not answer in time", async () => {
  const { api } = await mintTenant();
  const project = await projectOf(api, 3000, SPOKEN);
  const asked = speech.asked();
  speech.meets(() => 400);
  expect((await captions(api, project.project_id, { env: speech.env })).body.error_code).toBe("transcription_failed");
  let late: (() => void) | undefined;
  speech.meets(() => new Promise((resolve) => (late = () => resolve(500))));
  const env = { ...speech.env, SPEECH_TIMEOUT_MS: "200" };
  expect((await captions(api, project.project_id, { env })).body.error_code).toBe("transcription_failed");
  late?.();
  expect(speech.asked() - asked).toBe(2);
});
