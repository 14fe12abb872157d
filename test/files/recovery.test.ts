// Concurrent completes, and completes that fail at any step: the result is one file with the right bytes.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Client, createTestTenant, queryRows, type TestResponse, vars } from "../support/harness.ts";
import {
  type BreakPoint,
  openStorageProxy,
  type StorageCall,
  type StorageProxy,
  withBrokenFetch,
} from "./fault-injection.ts";
import {
  buildVideoOfParts,
  completeMultipart,
  type ListedPart,
  startMultipart,
  uploadParts,
} from "./multipart-client.ts";

const bytes = buildVideoOfParts(2);
let proxy: StorageProxy;

beforeAll(async () => {
  proxy = await openStorageProxy();
});
afterAll(() => proxy.close());
afterEach(() => {
  vi.useRealTimers();
});

async function uploadReadyParts(content: Buffer = bytes): Promise<{ api: Client; id: string; parts: ListedPart[] }> {
  const { api } = await createTestTenant();
  const started = await startMultipart(api, content);
  return { api, id: started.id, parts: await uploadParts(started, content) };
}

const getStatusAndCode = ({ status, body }: TestResponse) => [status, body.error_code];

/** Expects one file with this id, whose URL serves all of its bytes. */
async function expectOneFile(id: string, response: TestResponse) {
  expect([response.status, response.body.data?.file?.id]).toEqual([200, id]);
  const storedRows = await queryRows<{ url: string; size: string }>(sql`select url, size from files where id = ${id}`);
  expect(storedRows.map(({ url }) => url)).toEqual([response.body.data.file.url]);
  const served = await fetch(response.body.data.file.url, { method: "HEAD" });
  expect([served.status, Number(served.headers.get("content-length"))]).toEqual([200, Number(storedRows[0]?.size)]);
}

test("200 twenty concurrent completes with different keys create one file and verify it once", async () => {
  const { api, id, parts } = await uploadReadyParts();
  const { env, seen } = proxy;
  seen.length = 0;
  const responses = await Promise.all(Array.from({ length: 20 }, () => completeMultipart(api, id, parts, { env })));
  expect(seen.filter((line) => line.startsWith("PUT files/"))).toHaveLength(1);
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  await expectOneFile(id, await completeMultipart(api, id, parts));
});

test("200 or 409 request_in_progress for twenty concurrent completes with one key", async () => {
  const { api, id, parts } = await uploadReadyParts();
  const key = newId();
  const responses = await Promise.all(Array.from({ length: 20 }, () => completeMultipart(api, id, parts, { key })));
  const executed = responses.filter(({ status, headers }) => status === 200 && !headers.has("idempotent-replayed"));
  expect(executed).toHaveLength(1);
  for (const response of responses) {
    if (response.status !== 200) expect(getStatusAndCode(response)).toEqual([409, "request_in_progress"]);
  }
  const again = await completeMultipart(api, id, parts, { key });
  expect(again.body).toEqual(executed[0]?.body);
  await expectOneFile(id, again);
});

test("400 with the same reason for twenty concurrent completes of bytes that are not a video", async () => {
  const { api, id, parts } = await uploadReadyParts(Buffer.alloc(bytes.length, "no video "));
  const responses = await Promise.all(Array.from({ length: 20 }, () => completeMultipart(api, id, parts)));
  expect(new Set(responses.map((response) => JSON.stringify(getStatusAndCode(response))))).toEqual(
    new Set(['[400,"upload_failed"]']),
  );
  for (const { body } of responses) expect(body.message).toMatch(/declared as video\/mp4/);
});

test("a concurrent abort and completes agree: all return the file, or none", async () => {
  const { api, id, parts } = await uploadReadyParts();
  const [aborted, ...completed] = await Promise.all([
    api.delete(`/files/multipart/${id}`),
    ...Array.from({ length: 5 }, () => completeMultipart(api, id, parts)),
  ]);
  const file = await api.get(`/files/${id}`);
  const expected = aborted?.status === 200 ? [404, 400] : [200, 200];
  expect([file.status, ...new Set(completed.map(({ status }) => status))]).toEqual(expected);
});

const isAssembleCall = ({ line, query }: StorageCall) => line.startsWith("POST uploads/") && query.has("uploadId");
const isHeadCall = ({ line }: StorageCall) => line.startsWith("HEAD uploads/");
const isReadCall = ({ line }: StorageCall) => line.startsWith("GET files/");
const isCopyCall = ({ line }: StorageCall) => line.startsWith("PUT files/");
const isPlanStatement = (body: string) => body.includes('insert into \\"removals\\"');
const isRecordStatement = (body: string) => body.includes('insert into \\"files\\"');

/** Every step of a complete in order, failing before or after it is served. */
const STEPS: {
  step: string;
  breakPoint: BreakPoint;
  storage?: (call: StorageCall) => boolean;
  database?: (body: string) => boolean;
}[] = [
  { step: "assemble", breakPoint: "before", storage: isAssembleCall },
  { step: "assemble", breakPoint: "after", storage: isAssembleCall },
  { step: "find", breakPoint: "before", storage: isHeadCall },
  { step: "plan copy", breakPoint: "before", database: isPlanStatement },
  { step: "plan copy", breakPoint: "after", database: isPlanStatement },
  { step: "copy", breakPoint: "before", storage: isCopyCall },
  { step: "copy", breakPoint: "after", storage: isCopyCall },
  { step: "read", breakPoint: "before", storage: isReadCall },
  { step: "record", breakPoint: "before", database: isRecordStatement },
];

test("503 for a complete that loses storage or the database at any step; 200 for the next repeat", async () => {
  const { api, id, parts } = await uploadReadyParts();
  const [key, { env }] = [newId(), proxy];
  for (const { step, breakPoint, storage, database } of STEPS) {
    const broken = await withBrokenFetch(
      (url, body) => (url === vars.DATABASE_FETCH_URL && database?.(body) ? breakPoint : null),
      () =>
        proxy.withBrokenCalls(
          (call) => (storage?.(call) ? breakPoint : null),
          () => completeMultipart(api, id, parts, { key, env }),
        ),
    );
    expect([step, breakPoint, ...getStatusAndCode(broken)]).toEqual([step, breakPoint, 503, "provider_unavailable"]);
    expect((await api.get(`/files/${id}`)).status).toBe(404);
  }
  await expectOneFile(id, await completeMultipart(api, id, parts, { key }));
  await expectOneFile(id, await completeMultipart(api, id, parts));
});

test("200 when the response to the insert of the file is lost: the file is found again", async () => {
  const { api, id, parts } = await uploadReadyParts();
  const response = await withBrokenFetch(
    (url, body) => (url === vars.DATABASE_FETCH_URL && isRecordStatement(body) ? "after" : null),
    () => completeMultipart(api, id, parts),
  );
  await expectOneFile(id, response);
});

test("409 for 15 minutes after a complete died after its insert; 200 with another key", async () => {
  const { api, id, parts } = await uploadReadyParts();
  const key = newId();
  let calls = 0;
  const interrupted = await withBrokenFetch(
    (url) => (url.startsWith(vars.UPSTASH_REDIS_REST_URL ?? "-") && ++calls > 1 ? "before" : null),
    () => completeMultipart(api, id, parts, { key }),
  );
  await expectOneFile(id, interrupted);
  expect(getStatusAndCode(await completeMultipart(api, id, parts, { key }))).toEqual([409, "request_in_progress"]);
  await expectOneFile(id, await completeMultipart(api, id, parts));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 15 * 60_000 + 1000 });
  const again = await completeMultipart(api, id, parts, { key });
  expect(again.body).toEqual(interrupted.body);
  await expectOneFile(id, again);
});

test("200 after expiry for parts that were assembled in time; 400 more than an hour after expiry", async () => {
  for (const [late, status] of [
    ["30 minutes", 200],
    ["61 minutes", 400],
  ] as const) {
    const { api, id, parts } = await uploadReadyParts();
    await proxy.withBrokenCalls(
      (call) => (isHeadCall(call) ? "before" : null),
      () => completeMultipart(api, id, parts, { env: proxy.env }),
    );
    await queryRows(sql`update uploads set expires_at = now() - ${late}::interval where id = ${id} returning id`);
    expect((await completeMultipart(api, id, parts)).status).toBe(status);
  }
});

test("400 upload_failed for another list than the one that was assembled, even before the file exists", async () => {
  const { api, id, parts } = await uploadReadyParts();
  const wrong = parts.map((part) => (part.partNumber === 2 ? { ...part, etag: "0".repeat(32) } : part));
  const broken = await proxy.withBrokenCalls(
    (call) => (isHeadCall(call) ? "before" : null),
    () => completeMultipart(api, id, parts, { env: proxy.env }),
  );
  expect(getStatusAndCode(broken)).toEqual([503, "provider_unavailable"]);
  expect(getStatusAndCode(await completeMultipart(api, id, wrong))).toEqual([400, "upload_failed"]);
  const [right, other] = await Promise.all([completeMultipart(api, id, parts), completeMultipart(api, id, wrong)]);
  expect(getStatusAndCode(other)).toEqual([400, "upload_failed"]);
  await expectOneFile(id, right);
});

test("400 upload_failed for other lists that run concurrently with the right one", async () => {
  const { api, id, parts } = await uploadReadyParts();
  const wrong = parts.map((part) => (part.partNumber === 2 ? { ...part, etag: "0".repeat(32) } : part));
  const responses = await Promise.all([parts, wrong, wrong, wrong].map((list) => completeMultipart(api, id, list)));
  expect(responses.map(({ status }) => status)).toEqual([200, 400, 400, 400]);
});

test("200 from finalize for parts that were assembled by a failed complete", async () => {
  const { api, id, parts } = await uploadReadyParts();
  await proxy.withBrokenCalls(
    (call) => (isHeadCall(call) ? "before" : null),
    () => completeMultipart(api, id, parts, { env: proxy.env }),
  );
  const response = await api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() });
  await expectOneFile(id, response);
});

test("201 for the repeat of a start whose response was lost, with URLs of the same upload", async () => {
  const { api } = await createTestTenant();
  const body = { contentType: "video/mp4", size: bytes.length };
  const headers = { "Idempotency-Key": newId() };
  const start = () => api.call("POST", "/files/multipart", { body, headers });
  const broken = await withBrokenFetch(
    (url, sent) => (url === vars.DATABASE_FETCH_URL && sent.includes('insert into \\"uploads\\"') ? "after" : null),
    start,
  );
  expect(broken.status).toBe(503);
  const again = await start();
  expect(again.status).toBe(201);
  const parts = await uploadParts(again.body.data, bytes);
  await expectOneFile(again.body.data.id, await completeMultipart(api, again.body.data.id, parts));
});

test("503 when an abort cannot reach storage; the upload stays aborted, and a repeat deletes the parts", async () => {
  const { api, id, parts } = await uploadReadyParts();
  const abort = () => api.call("DELETE", `/files/multipart/${id}`, { env: proxy.env });
  const broken = await proxy.withBrokenCalls(({ line }) => (line.startsWith("DELETE ") ? "before" : null), abort);
  expect(getStatusAndCode(broken)).toEqual([503, "provider_unavailable"]);
  expect(getStatusAndCode(await completeMultipart(api, id, parts))).toEqual([400, "upload_failed"]);
  proxy.seen.length = 0;
  expect((await abort()).status).toBe(200);
  expect(proxy.seen.filter((line) => line.startsWith("DELETE uploads/"))).toHaveLength(2);
});
