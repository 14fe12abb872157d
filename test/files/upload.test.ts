// Uploads over HTTP, from disk to a CDN URL: attestation, rejection, and deletion of rejected bytes.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { createTestTenant, queryRows } from "../support/harness.ts";
import { DEMO_VIDEO, putBytes, uploadFile } from "./upload-file.ts";

const video = await readFile(DEMO_VIDEO);

test("200 a verified video has a CDN URL that serves its bytes, and an attestation", async () => {
  const { api } = await createTestTenant();
  const response = await uploadFile(api, "video/mp4", video);
  expect(response.status).toBe(200);
  expect(response.body.message).toMatch(/finalized/i);
  const { file, attestation } = response.body.data;
  expect(file).toMatchObject({ contentType: "video/mp4", size: video.length });
  expect(attestation).toEqual({
    sha256: createHash("sha256").update(video).digest("hex"),
    sizeBytes: video.length,
    durationMs: 6000,
    width: 720,
    height: 1280,
    hasVideoStream: true,
    hasAudioStream: true,
  });
  const served = await fetch(file.url, { headers: { Range: "bytes=0-99" } });
  expect([served.status, served.headers.get("content-type")]).toEqual([206, "video/mp4"]);
  expect(Buffer.from(await served.arrayBuffer())).toEqual(video.subarray(0, 100));
});

test("400 upload_failed for a text file declared as mp4; its bytes are deleted and the reason is kept", async () => {
  const { api } = await createTestTenant();
  const started = await api.post("/files", { contentType: "video/mp4", filename: "holiday.mp4" });
  await putBytes(started.body.data, new TextEncoder().encode("this is not a video"));
  const finalize = () => api.post(`/files/${started.body.data.id}/finalize`, undefined, { "Idempotency-Key": newId() });
  const rejection = await finalize();
  expect([rejection.status, rejection.body.error_code]).toEqual([400, "upload_failed"]);
  expect(rejection.body.message).toMatch(/text|not .*video|mp4/i);
  const again = await finalize();
  expect(again.body.message).toContain(rejection.body.message);
  const url = new URL(started.body.data.uploadUrl);
  const left = await fetch(`${url.origin}${url.pathname}`);
  expect(left.status).not.toBe(200);
  const [row] = await queryRows<{ n: number }>(
    sql`select count(*)::int as n from files where id = ${started.body.data.id}`,
  );
  expect(row?.n).toBe(0);
});

test("400 upload_failed before any bytes have arrived; the upload stays open", async () => {
  const { api } = await createTestTenant();
  const started = await api.post("/files", { contentType: "video/mp4" });
  const { id } = started.body.data;
  const early = await api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect([early.status, early.body.error_code]).toEqual([400, "upload_failed"]);
  expect(early.body.message).toMatch(/no bytes/i);
  await putBytes(started.body.data, video);
  expect((await api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() })).status).toBe(200);
});

test("403 of storage for a PUT of another length than the declared one; the upload stays open", async () => {
  const { api } = await createTestTenant();
  for (const size of [{ size: 4 }, { bytes: 4 }]) {
    const started = (await api.post("/files", { contentType: "video/mp4", ...size })).body.data;
    for (const length of [3, 5]) expect(await putBytes(started, Buffer.alloc(length))).toBe(403);
    const finalize = () => api.post(`/files/${started.id}/finalize`, {}, { "Idempotency-Key": newId() });
    expect((await finalize()).body.message).toMatch(/no bytes/i);
    expect(await putBytes(started, Buffer.alloc(4))).toBe(200);
    expect((await finalize()).body.message).toMatch(/declared as video\/mp4/);
  }
});

test("400 upload_failed for more than 100 MiB without a declared size", async () => {
  const { api } = await createTestTenant();
  const started = (await api.post("/files", { contentType: "video/mp4" })).body.data;
  expect(await putBytes(started, Buffer.alloc(100 * 1024 ** 2 + 1))).toBe(200);
  const response = await api.post(`/files/${started.id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect([response.status, response.body.error_code]).toEqual([400, "upload_failed"]);
  expect(response.body.message).toMatch(/without a size .* at most 104857600/);
});

test("400 upload_failed for an expired upload", async () => {
  const { api } = await createTestTenant();
  const started = await api.post("/files", { contentType: "video/mp4" });
  await queryRows(
    sql`update uploads set expires_at = now() - interval '2 hours' where id = ${started.body.data.id} returning id`,
  );
  await putBytes(started.body.data, video);
  const response = await api.post(`/files/${started.body.data.id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect(response.body.error_code).toBe("upload_failed");
  expect(response.body.message).toMatch(/expired/);
});

test("200 concurrent finalizes with different keys create one file", async () => {
  const { api } = await createTestTenant();
  const started = await api.post("/files", { contentType: "video/mp4" });
  await putBytes(started.body.data, video);
  const responses = await Promise.all(
    Array.from({ length: 5 }, () =>
      api.post(`/files/${started.body.data.id}/finalize`, {}, { "Idempotency-Key": newId() }),
    ),
  );
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(responses.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
});

test("404 for another workspace's upload", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const started = await theirs.api.post("/files", { contentType: "video/mp4" });
  const response = await mine.api.post(`/files/${started.body.data.id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect([response.status, response.body.error_code]).toEqual([404, "not_found"]);
});

test("422 for an unsupported type and for a size over the limit", async () => {
  const { api } = await createTestTenant();
  const type = await api.post("/files", { contentType: "application/zip" });
  expect([type.status, Object.keys(type.body.issues.fieldErrors)]).toEqual([422, ["contentType"]]);
  for (const [contentType, size] of [
    ["image/png", 20 * 1024 ** 2 + 1],
    ["video/mp4", 5 * 1024 ** 3 + 1],
  ] as const) {
    const large = await api.post("/files", { contentType, size });
    expect([large.status, Object.keys(large.body.issues.fieldErrors)]).toEqual([422, ["size"]]);
    expect((await api.post("/files", { contentType, size: size - 1 })).status).toBe(201);
  }
  const twofold = await api.post("/files", { contentType: "image/png", size: 5, bytes: 6 });
  expect([twofold.status, Object.keys(twofold.body.issues.fieldErrors)]).toEqual([422, ["bytes"]]);
  expect((await api.post("/files", { contentType: "image/png", size: 5, bytes: 5 })).status).toBe(201);
});

test("201 with the remaining rate limit", async () => {
  const { api } = await createTestTenant();
  const response = await api.post("/files", { contentType: "image/png" });
  expect(response.headers.get("ratelimit-policy")).toBe('"file_starts";q=600;w=60');
  expect(response.headers.get("ratelimit")).toMatch(/^"file_starts";r=599;t=\d+$/);
});
