// From disk to a CDN URL over HTTP: what is attested, what is refused, and that refused bytes are gone.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { mintTenant, rows } from "../harness.ts";
import { DEMO_VIDEO, put, upload } from "./uploaded.ts";

const video = await readFile(DEMO_VIDEO);

test("200 a verified video has a CDN URL that answers with its bytes, and an attestation", async () => {
  const { api } = await mintTenant();
  const answer = await upload(api, "video/mp4", video);
  expect(answer.status).toBe(200);
  expect(answer.body.message).toMatch(/finalized/i);
  const { file, attestation } = answer.body.data;
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

test("400 upload_failed for a text file that calls itself mp4; its bytes are deleted and the reason stays", async () => {
  const { api } = await mintTenant();
  const started = await api.post("/files", { contentType: "video/mp4", filename: "holiday.mp4" });
  await put(started.body.data, new TextEncoder().encode("this is not a video"));
  const finalize = () => api.post(`/files/${started.body.data.id}/finalize`, undefined, { "Idempotency-Key": newId() });
  const refused = await finalize();
  expect([refused.status, refused.body.error_code]).toEqual([400, "upload_failed"]);
  expect(refused.body.message).toMatch(/text|not .*video|mp4/i);
  const again = await finalize();
  expect(again.body.message).toContain(refused.body.message);
  const url = new URL(started.body.data.uploadUrl);
  const left = await fetch(`${url.origin}${url.pathname}`);
  expect(left.status).not.toBe(200);
  const [row] = await rows<{ n: number }>(sql`select count(*)::int as n from files where id = ${started.body.data.id}`);
  expect(row?.n).toBe(0);
});

test("400 upload_failed before any byte has arrived; the upload stays open", async () => {
  const { api } = await mintTenant();
  const started = await api.post("/files", { contentType: "video/mp4" });
  const { id } = started.body.data;
  const early = await api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect([early.status, early.body.error_code]).toEqual([400, "upload_failed"]);
  expect(early.body.message).toMatch(/no bytes/i);
  await put(started.body.data, video);
  expect((await api.post(`/files/${id}/finalize`, {}, { "Idempotency-Key": newId() })).status).toBe(200);
});

test("400 upload_failed when another size arrives than was announced", async () => {
  const { api } = await mintTenant();
  const started = await api.post("/files", { contentType: "video/mp4", size: video.length + 1 });
  await put(started.body.data, video);
  const answer = await api.post(`/files/${started.body.data.id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect(answer.body.error_code).toBe("upload_failed");
  expect(answer.body.message).toContain(String(video.length));
});

test("400 upload_failed for an upload that expired long ago", async () => {
  const { api } = await mintTenant();
  const started = await api.post("/files", { contentType: "video/mp4" });
  await rows(
    sql`update uploads set expires_at = now() - interval '2 hours' where id = ${started.body.data.id} returning id`,
  );
  await put(started.body.data, video);
  const answer = await api.post(`/files/${started.body.data.id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect(answer.body.error_code).toBe("upload_failed");
  expect(answer.body.message).toMatch(/expired/);
});

test("200 parallel finalizes with different keys make one file", async () => {
  const { api } = await mintTenant();
  const started = await api.post("/files", { contentType: "video/mp4" });
  await put(started.body.data, video);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      api.post(`/files/${started.body.data.id}/finalize`, {}, { "Idempotency-Key": newId() }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
});

test("404 for another workspace's upload", async () => {
  const [mine, theirs] = [await mintTenant(), await mintTenant()];
  const started = await theirs.api.post("/files", { contentType: "video/mp4" });
  const answer = await mine.api.post(`/files/${started.body.data.id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect([answer.status, answer.body.error_code]).toEqual([404, "not_found"]);
});

test("422 for a type that is not taken and for a size over the limit", async () => {
  const { api } = await mintTenant();
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

test("201 says what is left of the rate ceiling", async () => {
  const { api } = await mintTenant();
  const answer = await api.post("/files", { contentType: "image/png" });
  expect(answer.headers.get("ratelimit-policy")).toBe('"file_starts";q=600;w=60');
  expect(answer.headers.get("ratelimit")).toMatch(/^"file_starts";r=599;t=\d+$/);
});
