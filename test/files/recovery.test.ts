// Completes that meet each other, or break at any step: there is one file in the end, and the one the bytes are of.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Answer, type Client, mintTenant, rows, vars } from "../harness.ts";
import { type Break, type BucketCall, type BucketDoor, breaking, openBucketDoor } from "./breaking.ts";
import { complete, type Listed, putParts, startParts, videoOfParts } from "./parts.ts";

const bytes = videoOfParts(2);
let door: BucketDoor;

beforeAll(async () => {
  door = await openBucketDoor();
});
afterAll(() => door.close());
afterEach(() => {
  vi.useRealTimers();
});

async function ready(content: Buffer = bytes): Promise<{ api: Client; id: string; parts: Listed[] }> {
  const { api } = await mintTenant();
  const started = await startParts(api, content);
  return { api, id: started.id, parts: await putParts(started, content) };
}

const told = ({ status, body }: Answer) => [status, body.error_code];

/** There is one file with this id, and its URL has all of its bytes. */
async function expectOneFile(id: string, answer: Answer) {
  expect([answer.status, answer.body.data?.file?.id]).toEqual([200, id]);
  const kept = await rows<{ url: string; size: string }>(sql`select url, size from files where id = ${id}`);
  expect(kept.map(({ url }) => url)).toEqual([answer.body.data.file.url]);
  const served = await fetch(answer.body.data.file.url, { method: "HEAD" });
  expect([served.status, Number(served.headers.get("content-length"))]).toEqual([200, Number(kept[0]?.size)]);
}

test("200 twenty completes at once with keys of their own make one file, and verify it once", async () => {
  const { api, id, parts } = await ready();
  const { env, seen } = door;
  seen.length = 0;
  const answers = await Promise.all(Array.from({ length: 20 }, () => complete(api, id, parts, { env })));
  expect(seen.filter((line) => line.startsWith("PUT files/"))).toHaveLength(1);
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  await expectOneFile(id, await complete(api, id, parts));
});

test("200 or 409 request_in_progress for twenty completes at once with one key; each repeat then has the first answer", async () => {
  const { api, id, parts } = await ready();
  const key = newId();
  const answers = await Promise.all(Array.from({ length: 20 }, () => complete(api, id, parts, { key })));
  const executed = answers.filter(({ status, headers }) => status === 200 && !headers.has("idempotent-replayed"));
  expect(executed).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status !== 200) expect(told(answer)).toEqual([409, "request_in_progress"]);
  }
  const again = await complete(api, id, parts, { key });
  expect(again.body).toEqual(executed[0]?.body);
  await expectOneFile(id, again);
});

test("400 with the same reason for twenty completes at once of bytes that are no video", async () => {
  const { api, id, parts } = await ready(Buffer.alloc(bytes.length, "no video "));
  const answers = await Promise.all(Array.from({ length: 20 }, () => complete(api, id, parts)));
  expect(new Set(answers.map((answer) => JSON.stringify(told(answer))))).toEqual(new Set(['[400,"upload_failed"]']));
  for (const { body } of answers) expect(body.message).toMatch(/declared as video\/mp4/);
});

test("an abort and completes at once agree: either all have the file, or none", async () => {
  const { api, id, parts } = await ready();
  const [aborted, ...completed] = await Promise.all([
    api.delete(`/files/multipart/${id}`),
    ...Array.from({ length: 5 }, () => complete(api, id, parts)),
  ]);
  const file = await api.get(`/files/${id}`);
  const expected = aborted?.status === 200 ? [404, 400] : [200, 200];
  expect([file.status, ...new Set(completed.map(({ status }) => status))]).toEqual(expected);
});

const joining = ({ line, query }: BucketCall) => line.startsWith("POST uploads/") && query.has("uploadId");
const looking = ({ line }: BucketCall) => line.startsWith("HEAD uploads/");
const reading = ({ line }: BucketCall) => line.startsWith("GET uploads/");
const copying = ({ line }: BucketCall) => line.startsWith("PUT files/");
const planning = (body: string) => body.includes('insert into \\"removals\\"');
const recording = (body: string) => body.includes("insert into files");

/** Every step of a complete, lost before it is done or after, in the order in which they come. */
const STEPS: {
  step: string;
  how: Break;
  bucket?: (call: BucketCall) => boolean;
  database?: (body: string) => boolean;
}[] = [
  { step: "put together", how: "before", bucket: joining },
  { step: "put together", how: "after", bucket: joining },
  { step: "looked at", how: "before", bucket: looking },
  { step: "read", how: "before", bucket: reading },
  { step: "copy planned", how: "before", database: planning },
  { step: "copy planned", how: "after", database: planning },
  { step: "copied", how: "before", bucket: copying },
  { step: "copied", how: "after", bucket: copying },
  { step: "recorded", how: "before", database: recording },
];

test("503 for a complete that loses the bucket or the database at any step, one after the other; 200 for the next repeat", async () => {
  const { api, id, parts } = await ready();
  const [key, { env }] = [newId(), door];
  for (const { step, how, bucket, database } of STEPS) {
    const broken = await breaking(
      (url, body) => (url === vars.DATABASE_FETCH_URL && database?.(body) ? how : null),
      () =>
        door.breaking(
          (call) => (bucket?.(call) ? how : null),
          () => complete(api, id, parts, { key, env }),
        ),
    );
    expect([step, how, ...told(broken)]).toEqual([step, how, 503, "provider_unavailable"]);
    expect((await api.get(`/files/${id}`)).status).toBe(404);
  }
  await expectOneFile(id, await complete(api, id, parts, { key }));
  await expectOneFile(id, await complete(api, id, parts));
});

test("200 when the answer to the record of the file is lost: it is found again", async () => {
  const { api, id, parts } = await ready();
  const answer = await breaking(
    (url, body) => (url === vars.DATABASE_FETCH_URL && recording(body) ? "after" : null),
    () => complete(api, id, parts),
  );
  await expectOneFile(id, answer);
});

test("a complete that died after its record is in progress for 15 minutes; another key has the file at once, then the same one", async () => {
  const { api, id, parts } = await ready();
  const key = newId();
  let calls = 0;
  const died = await breaking(
    (url) => (url.startsWith(vars.UPSTASH_REDIS_REST_URL ?? "-") && ++calls > 1 ? "before" : null),
    () => complete(api, id, parts, { key }),
  );
  await expectOneFile(id, died);
  expect(told(await complete(api, id, parts, { key }))).toEqual([409, "request_in_progress"]);
  await expectOneFile(id, await complete(api, id, parts));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 15 * 60_000 + 1000 });
  const again = await complete(api, id, parts, { key });
  expect(again.body).toEqual(died.body);
  await expectOneFile(id, again);
});

test("200 after its time for parts that were put together in time; 400 once that is over an hour ago", async () => {
  for (const [late, status] of [
    ["30 minutes", 200],
    ["61 minutes", 400],
  ] as const) {
    const { api, id, parts } = await ready();
    await door.breaking(
      (call) => (looking(call) ? "before" : null),
      () => complete(api, id, parts, { env: door.env }),
    );
    await rows(sql`update uploads set expires_at = now() - ${late}::interval where id = ${id} returning id`);
    expect((await complete(api, id, parts)).status).toBe(status);
  }
});

test("400 upload_failed for another list than the one that put the parts together, also before the file is there", async () => {
  const { api, id, parts } = await ready();
  const wrong = parts.map((part) => (part.partNumber === 2 ? { ...part, etag: "0".repeat(32) } : part));
  const broken = await door.breaking(
    (call) => (looking(call) ? "before" : null),
    () => complete(api, id, parts, { env: door.env }),
  );
  expect(told(broken)).toEqual([503, "provider_unavailable"]);
  expect(told(await complete(api, id, wrong))).toEqual([400, "upload_failed"]);
  const [right, other] = await Promise.all([complete(api, id, parts), complete(api, id, wrong)]);
  expect(told(other)).toEqual([400, "upload_failed"]);
  await expectOneFile(id, right);
});

test("400 upload_failed for another list beside the one that puts the parts together", async () => {
  const { api, id, parts } = await ready();
  const wrong = parts.map((part) => (part.partNumber === 2 ? { ...part, etag: "0".repeat(32) } : part));
  const answers = await Promise.all([parts, wrong, wrong, wrong].map((list) => complete(api, id, list)));
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 400]);
});

test("200 from finalize for parts that were put together by a complete that broke", async () => {
  const { api, id, parts } = await ready();
  await door.breaking(
    (call) => (looking(call) ? "before" : null),
    () => complete(api, id, parts, { env: door.env }),
  );
  const answer = await api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() });
  await expectOneFile(id, answer);
});

test("201 a start whose row was stored and whose answer was lost: the repeat has URLs of the same upload", async () => {
  const { api } = await mintTenant();
  const body = { contentType: "video/mp4", size: bytes.length };
  const headers = { "Idempotency-Key": newId() };
  const start = () => api.call("POST", "/files/multipart", { body, headers });
  const broken = await breaking(
    (url, sent) => (url === vars.DATABASE_FETCH_URL && sent.includes('insert into \\"uploads\\"') ? "after" : null),
    start,
  );
  expect(broken.status).toBe(503);
  const again = await start();
  expect(again.status).toBe(201);
  const parts = await putParts(again.body.data, bytes);
  await expectOneFile(again.body.data.id, await complete(api, again.body.data.id, parts));
});

test("503 when an abort cannot reach the bucket: nothing can be completed, and the repeat drops the parts", async () => {
  const { api, id, parts } = await ready();
  const abort = () => api.call("DELETE", `/files/multipart/${id}`, { env: door.env });
  const broken = await door.breaking(({ line }) => (line.startsWith("DELETE ") ? "before" : null), abort);
  expect(told(broken)).toEqual([503, "provider_unavailable"]);
  expect(told(await complete(api, id, parts))).toEqual([400, "upload_failed"]);
  door.seen.length = 0;
  expect((await abort()).status).toBe(200);
  expect(door.seen.filter((line) => line.startsWith("DELETE uploads/"))).toHaveLength(2);
});
