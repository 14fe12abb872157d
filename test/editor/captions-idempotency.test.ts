// Concurrency and failures during transcription: captions are added once or not at all.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { withFastPauses } from "../support/fast-pauses.ts";
import { type Client, createTestTenant, queryRows, vars } from "../support/harness.ts";
import { createSpokenProject, requestCaptions, SPOKEN_WORDS, toComparableWords } from "./factories.ts";
import { type SpeechServer, startSpeechServer } from "./speech-server.ts";

let speech: SpeechServer;
beforeAll(async () => {
  speech = await startSpeechServer();
});
afterAll(() => speech.close());
afterEach(() => {
  speech.intercept();
  vi.useRealTimers();
});

const readProject = async (api: Client, id: string) => (await api.get(`/editor/projects/${id}`)).body.data;

/** The ratelimit header of a request that consumes no quota. */
async function readRemaining(api: Client): Promise<string | null> {
  const silent = await createSpokenProject(api, 1000, null);
  return (await requestCaptions(api, silent.project_id)).headers.get("ratelimit");
}

test("200 for 20 parallel requests with one key: one transcription, equal responses", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 3000, SPOKEN_WORDS);
  const before = speech.countRequests();
  const key = newId();
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => requestCaptions(api, project.project_id, { key, env: speech.env })),
  );
  expect(speech.countRequests() - before).toBe(1);
  const made = responses.filter(({ status }) => status === 200);
  const others = responses.filter(({ status }) => status !== 200);
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  for (const { status, body } of others) expect([status, body.error_code]).toEqual([409, "request_in_progress"]);
  const later = await requestCaptions(api, project.project_id, { key, env: speech.env });
  expect(later.body).toEqual(made[0]?.body);
  expect(toComparableWords(await readProject(api, project.project_id))).toHaveLength(2);
});

test("20 parallel requests with 20 keys: one adds captions, the others get 409 or the captions", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 3000, SPOKEN_WORDS);
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => requestCaptions(api, project.project_id, { env: speech.env })),
  );
  const codes = responses.map(({ status, body }) => body.error_code ?? status);
  expect(new Set(codes).size).toBeLessThanOrEqual(2);
  expect(codes).toContain(200);
  for (const code of codes) expect([200, "editor_conflict"]).toContain(code);
  const after = await readProject(api, project.project_id);
  expect(toComparableWords(after)).toHaveLength(2);
  for (const { status, body } of responses) if (status === 200) expect(body.data).toEqual(after);
});

test("409 editor_conflict for an edit during the transcription: no captions, the quota is consumed, the key is free", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 3000, SPOKEN_WORDS);
  const path = `/editor/projects/${project.project_id}`;
  const key = newId();
  speech.intercept(async () => {
    const edit = await api.patch(path, { expected_updated_at: project.updated_at, title: "Meanwhile" });
    expect(edit.status).toBe(200);
    return undefined;
  });
  const rejected = await requestCaptions(api, project.project_id, { key, env: speech.env });
  expect([rejected.status, rejected.body.error_code]).toEqual([409, "editor_conflict"]);
  const between = await readProject(api, project.project_id);
  expect([between.title, between.text_clips]).toEqual(["Meanwhile", []]);
  expect((await api.get(`${path}/transcript`)).body.data.is_current).toBe(false);
  expect(await readRemaining(api)).toMatch(/;r=19;/);

  // The transcript is stored: a retry with the same or another key transcribes nothing.
  const before = speech.countRequests();
  const again = await requestCaptions(api, project.project_id, { key, env: speech.env, body: { note: "again" } });
  expect([again.status, toComparableWords(again.body.data).length, speech.countRequests()]).toEqual([200, 2, before]);
});

/** Runs `first` once, before the statement that writes captions or an empty transcript. */
async function runBeforeWrite<Result>(first: () => Promise<void>, work: () => Promise<Result>): Promise<Result> {
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

const updateRow = (id: string, change: ReturnType<typeof sql>) =>
  queryRows(sql`update editor_projects set ${change} where id = ${id} returning id`);

test("409 for an edit, a lock of the assistant or a deletion just before the write", async () => {
  const { api } = await createTestTenant();
  const edit = sql`revision = revision + 1, updated_at = updated_at + interval '1 ms'`;
  const lock = sql`assistant_lock_until = now() + interval '1 minute'`;
  for (const [words, change, code] of [
    [SPOKEN_WORDS, edit, "editor_conflict"],
    [[], edit, "editor_conflict"],
    [SPOKEN_WORDS, lock, "editor_locked"],
  ] as const) {
    const project = await createSpokenProject(api, 3000, words);
    const rejected = await runBeforeWrite(
      async () => void (await updateRow(project.project_id, change)),
      () => requestCaptions(api, project.project_id, { env: speech.env }),
    );
    expect([rejected.status, rejected.body.error_code]).toEqual([409, code]);
    expect((await readProject(api, project.project_id)).text_clips).toEqual([]);
  }
  const gone = await createSpokenProject(api, 3000, SPOKEN_WORDS);
  const rejected = await runBeforeWrite(
    async () => void (await api.delete(`/editor/projects/${gone.project_id}`)),
    () => requestCaptions(api, gone.project_id, { env: speech.env }),
  );
  expect([rejected.status, rejected.body.error_code]).toEqual([404, "project_not_found"]);
});

test("503 when the database fails before the write: the project is unchanged and the key is free", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 3000, SPOKEN_WORDS);
  const key = newId();
  const failed = await runBeforeWrite(
    async () => {
      throw new TypeError("fetch failed");
    },
    () => requestCaptions(api, project.project_id, { key, env: speech.env }),
  );
  expect([failed.status, failed.body.error_code]).toEqual([503, "provider_unavailable"]);
  expect(await readProject(api, project.project_id)).toEqual(project);
  const asked = speech.countRequests();
  const again = await requestCaptions(api, project.project_id, { key, env: speech.env });
  expect([again.status, toComparableWords(again.body.data).length, speech.countRequests()]).toEqual([200, 2, asked]);
});

test("a crash before the write leaves the project unchanged, and the key is free within a minute", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 3000, SPOKEN_WORDS);
  const key = newId();
  const send = () => requestCaptions(api, project.project_id, { key, env: speech.env });
  // Crashed: none of its calls reach the database or Redis.
  const plain = globalThis.fetch;
  let dead = false;
  const die = async () => {
    dead = true;
    globalThis.fetch = die;
    throw new TypeError("the worker is dead");
  };
  await withFastPauses(() => runBeforeWrite(die, send)).finally(() => {
    globalThis.fetch = plain;
  });
  expect(dead).toBe(true);
  expect(await readProject(api, project.project_id)).toEqual(project);
  expect((await send()).body.error_code).toBe("request_in_progress");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 46_000 });
  expect((await send()).status).toBe(200);
});

test("409 while a request with a heartbeat runs longer than its first lease", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 3000, SPOKEN_WORDS);
  const key = newId();
  const send = () => requestCaptions(api, project.project_id, { key, env: speech.env });
  const beats: (() => unknown)[] = [];
  const plain = globalThis.setInterval;
  // The test triggers the heartbeat.
  globalThis.setInterval = ((work: () => unknown, ms: number) => {
    if (ms === 15_000) beats.push(work);
    return plain(() => undefined, 60_000);
  }) as typeof globalThis.setInterval;
  let meanwhile: unknown;
  speech.intercept(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30_000 });
    await Promise.all(beats.map((beat) => beat()));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30_000 });
    meanwhile = (await send()).body.error_code;
    return undefined;
  });
  try {
    expect((await send()).status).toBe(200);
  } finally {
    globalThis.setInterval = plain;
  }
  expect(meanwhile).toBe("request_in_progress");
});

test("502 transcription_failed after two tries: the key is free, the quota is consumed, a retry can succeed", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 3000, SPOKEN_WORDS);
  const key = newId();
  const send = () => requestCaptions(api, project.project_id, { key, env: speech.env });
  const asked = speech.countRequests();
  speech.intercept(
    () => 500,
    () => 503,
  );
  const failed = await send();
  expect([failed.status, failed.body.error_code, speech.countRequests() - asked]).toEqual([
    502,
    "transcription_failed",
    2,
  ]);
  expect(failed.headers.get("ratelimit")).toMatch(/;r=19;/);
  expect(await readProject(api, project.project_id)).toEqual(project);
  speech.intercept(() => 500);
  expect((await send()).status).toBe(200);
});

test("502 without a retry when the speech-to-text service rejects the request or times out", async () => {
  const { api } = await createTestTenant();
  const project = await createSpokenProject(api, 3000, SPOKEN_WORDS);
  const asked = speech.countRequests();
  speech.intercept(() => 400);
  expect((await requestCaptions(api, project.project_id, { env: speech.env })).body.error_code).toBe(
    "transcription_failed",
  );
  let late: (() => void) | undefined;
  speech.intercept(() => new Promise((resolve) => (late = () => resolve(500))));
  const env = { ...speech.env, SPEECH_TIMEOUT_MS: "200" };
  expect((await requestCaptions(api, project.project_id, { env })).body.error_code).toBe("transcription_failed");
  late?.();
  expect(speech.countRequests() - asked).toBe(2);
});
