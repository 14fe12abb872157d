// Multipart uploads that end without a file, or are sent to the wrong call: bytes, expiry, abort and finalize.
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestTenant, queryRows } from "../support/harness.ts";
import {
  buildVideoOfParts,
  completeMultipart,
  getStatusAndCode,
  startMultipart,
  uploadPart,
  uploadParts,
} from "./multipart-client.ts";

const MIB = 1024 ** 2;
const twoParts = buildVideoOfParts(2);

const expireUpload = (id: string, by: string) =>
  queryRows(sql`update uploads set expires_at = now() - ${by}::interval where id = ${id} returning id`);

test("400 upload_failed for bytes that are not a video; they are deleted and the reason is kept", async () => {
  const { api } = await createTestTenant();
  const text = Buffer.alloc(8 * MIB + 20, "this is not a video ");
  const started = await startMultipart(api, text);
  const parts = await uploadParts(started, text);
  const responses = [await completeMultipart(api, started.id, parts), await completeMultipart(api, started.id, parts)];
  for (const response of responses) {
    expect(getStatusAndCode(response)).toEqual([400, "upload_failed"]);
    expect(response.body.message).toMatch(/video\/mp4.*text/);
  }
  expect(getStatusAndCode(await api.post(`/files/multipart/${started.id}/parts`, { partNumbers: [1] }))).toEqual([
    400,
    "upload_failed",
  ]);
  expect((await api.get(`/files/${started.id}`)).status).toBe(404);
});

test("400 upload_failed for an expired upload and its parts", async () => {
  const { api } = await createTestTenant();
  const started = await startMultipart(api, twoParts);
  const parts = await uploadParts(started, twoParts);
  await expireUpload(started.id, "1 second");
  for (const response of [
    await completeMultipart(api, started.id, parts),
    await api.post(`/files/multipart/${started.id}/parts`, { partNumbers: [1] }),
  ]) {
    expect(getStatusAndCode(response)).toEqual([400, "upload_failed"]);
    expect(response.body.message).toContain("expired");
  }
  expect((await api.get(`/files/${started.id}`)).status).toBe(404);
});

test("200 for a repeated abort; the parts are deleted and the upload cannot be completed", async () => {
  const { api } = await createTestTenant();
  const started = await startMultipart(api, twoParts);
  const parts = await uploadParts(started, twoParts);
  for (let times = 0; times < 2; times++) {
    const response = await api.delete(`/files/multipart/${started.id}`);
    expect([response.status, response.body.data]).toEqual([200, { id: started.id, aborted: true }]);
  }
  const [part] = started.parts;
  if (!part) throw new Error("a part expected");
  expect((await uploadPart(part, twoParts)).status).toBe(404);
  for (const response of [
    await completeMultipart(api, started.id, parts),
    await api.post(`/files/multipart/${started.id}/parts`, { partNumbers: [1] }),
    await api.post(`/files/${started.id}/finalize`, {}, { "Idempotency-Key": newId() }),
  ]) {
    expect(getStatusAndCode(response)).toEqual([400, "upload_failed"]);
    expect(response.body.message).toContain("aborted");
  }
});

test("400 upload_failed when a completed upload is aborted; its file is kept", async () => {
  const { api } = await createTestTenant();
  const started = await startMultipart(api, twoParts);
  await completeMultipart(api, started.id, await uploadParts(started, twoParts));
  const response = await api.delete(`/files/multipart/${started.id}`);
  expect(getStatusAndCode(response)).toEqual([400, "upload_failed"]);
  expect(response.body.message).toContain("DELETE /files/");
  expect((await api.get(`/files/${started.id}`)).status).toBe(200);
});

test("400 upload_failed from finalize before completion says where to send the list", async () => {
  const { api } = await createTestTenant();
  const started = await startMultipart(api, twoParts);
  const parts = await uploadParts(started, twoParts);
  const response = await api.post(`/files/${started.id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect(getStatusAndCode(response)).toEqual([400, "upload_failed"]);
  expect(response.body.message).toContain(`POST /files/multipart/${started.id}/complete`);
  expect((await completeMultipart(api, started.id, parts)).status).toBe(200);
});
