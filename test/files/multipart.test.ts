// Multipart uploads over HTTP with real parts in storage: starting, completing, aborting, and all error messages.
import { createHash } from "node:crypto";
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

test("200 three parts, in any order and with or without quotes, become one file with an attestation", async () => {
  const { api } = await createTestTenant();
  const bytes = buildVideoOfParts(3);
  const started = await startMultipart(api, bytes);
  expect(started).toMatchObject({ partSize: 8 * MIB, partCount: 3 });
  expect(started.parts.map(({ size }) => size)).toEqual([8 * MIB, 8 * MIB, 64 * 1024]);
  expect(Date.parse(started.expiresAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
  const [first, second, third] = await uploadParts(started, bytes);
  const response = await completeMultipart(api, started.id, [
    third,
    { ...first, etag: first?.etag.replaceAll('"', "") },
    second,
  ]);
  expect([response.status, response.body.message]).toEqual([200, "Upload finalized."]);
  const { file, attestation, fit } = response.body.data;
  expect(file).toMatchObject({ id: started.id, contentType: "video/mp4", filename: "clip.mp4", size: bytes.length });
  expect(attestation).toEqual({
    sha256: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.length,
    durationMs: 6000,
    width: 720,
    height: 1280,
    hasVideoStream: true,
    hasAudioStream: true,
  });
  expect(fit.instagram).toEqual({ ok: true, problems: [] });
  const served = await fetch(file.url);
  expect([served.status, served.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  expect(
    createHash("sha256")
      .update(Buffer.from(await served.arrayBuffer()))
      .digest("hex"),
  ).toBe(attestation.sha256);
});

test("201 parts are at least 8 MiB, at most 500; the first 100 URLs are returned, others on request", async () => {
  const { api } = await createTestTenant();
  for (const [size, partSize, partCount, last] of [
    [1, 8, 1, 1],
    [8 * MIB, 8, 1, 8 * MIB],
    [8 * MIB + 1, 8, 2, 1],
    [4_000 * MIB, 8, 500, 8 * MIB],
    [4_000 * MIB + 1, 16, 251, 1],
    [5 * 1024 * MIB, 16, 320, 16 * MIB],
  ] as const) {
    const started = await startMultipart(api, new Uint8Array(), { size });
    expect([size, started.partSize, started.partCount]).toEqual([size, partSize * MIB, partCount]);
    expect(started.parts.map(({ partNumber }) => partNumber)).toEqual(
      Array.from({ length: Math.min(100, partCount) }, (_, at) => at + 1),
    );
    const more = await api.post(`/files/multipart/${started.id}/parts`, { partNumbers: [partCount, 1, partCount] });
    expect(more.status).toBe(200);
    expect(more.body.data.parts.map(({ partNumber }: { partNumber: number }) => partNumber)).toEqual(
      partCount === 1 ? [1] : [partCount, 1],
    );
    expect(more.body.data.parts[0].size).toBe(last);
  }
});

test("a part's URL accepts exactly its size, repeatedly; the latest bytes and their ETag count", async () => {
  const { api } = await createTestTenant();
  const started = await startMultipart(api, twoParts);
  const [first, last] = started.parts;
  if (!first || !last) throw new Error("two parts expected");
  const tooLarge = await fetch(last.url, { method: "PUT", body: new Uint8Array(last.size + 1) });
  expect(tooLarge.status).toBe(403);
  await tooLarge.arrayBuffer();
  const wrong = await uploadPart(last, new Uint8Array(twoParts.length).fill(7));
  const right = await uploadParts(started, twoParts);
  const response = await completeMultipart(api, started.id, [right[0], wrong].map(toListedPart));
  expect(getStatusAndCode(response)).toEqual([400, "upload_failed"]);
  expect(response.body.message).toContain("etag of part 2");
  expect((await completeMultipart(api, started.id, right)).status).toBe(200);
});

const toListedPart = (part?: { partNumber: number; etag: string }) => ({
  partNumber: part?.partNumber,
  etag: part?.etag,
});

test("400 upload_failed names the missing, duplicate, unknown or mismatched part", async () => {
  const { api } = await createTestTenant();
  const started = await startMultipart(api, buildVideoOfParts(3));
  const [one, two, three] = started.parts;
  if (!one || !two || !three) throw new Error("three parts expected");
  const bytes = buildVideoOfParts(3);
  const first = toListedPart(await uploadPart(one, bytes));
  const last = toListedPart(await uploadPart(three, bytes));
  const wrong = { ...first, partNumber: 2 };
  const key = newId();
  for (const [parts, says] of [
    [[first, last], "Part 2 is missing"],
    [[last], "Parts 1-2 are missing"],
    [[first, wrong, last, first], "Part 1 is listed more than once"],
    [[first, wrong, last, { ...last, partNumber: 4 }], "The upload has parts 1 to 3, not part 4"],
    [[first, wrong, last], "Part 2 has not been uploaded"],
  ] as const) {
    const response = await completeMultipart(api, started.id, parts, { key });
    expect([getStatusAndCode(response), response.body.message]).toEqual([
      [400, "upload_failed"],
      expect.stringContaining(says),
    ]);
    expect(response.body.message).toContain("stays open");
  }
  const second = toListedPart(await uploadPart(two, bytes));
  for (const [parts, says] of [
    [[second, first, last].map((part, at) => ({ ...part, partNumber: at + 1 })), "The etag of parts 1-2"],
    [[first, { ...second, etag: "0".repeat(32) }, last], "The etag of part 2"],
  ] as const) {
    const response = await completeMultipart(api, started.id, parts, { key });
    expect([getStatusAndCode(response), response.body.message]).toEqual([
      [400, "upload_failed"],
      expect.stringContaining(says),
    ]);
  }
  expect((await completeMultipart(api, started.id, [first, second, last], { key })).status).toBe(200);
});

test("200 again for a completed upload with any key; a wrong list is still rejected", async () => {
  const { api } = await createTestTenant();
  const started = await startMultipart(api, twoParts);
  const parts = await uploadParts(started, twoParts);
  const key = newId();
  const first = await completeMultipart(api, started.id, parts, { key });
  const [replay, other] = [
    await completeMultipart(api, started.id, parts, { key }),
    await completeMultipart(api, started.id, parts),
  ];
  expect([replay.status, replay.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect([replay.body, other.body]).toEqual([first.body, first.body]);
  expect((await api.post(`/files/${started.id}/finalize`, {}, { "Idempotency-Key": newId() })).body).toEqual(
    first.body,
  );
  const [one, two] = parts.map(toListedPart);
  for (const [list, says] of [
    [[two], "Part 1 is missing"],
    [[one, two, two], "Part 2 is listed more than once"],
    [[one, { ...two, etag: one?.etag }], "An etag does not match the completed upload"],
    [[one, { ...two, etag: "0".repeat(32) }], "An etag does not match the completed upload"],
  ] as const) {
    const response = await completeMultipart(api, started.id, list);
    expect([getStatusAndCode(response), response.body.message]).toEqual([
      [400, "upload_failed"],
      expect.stringContaining(says),
    ]);
    expect(response.body.message).toContain("already complete");
  }
  expect(getStatusAndCode(await completeMultipart(api, started.id, [two], { key }))).toEqual([
    409,
    "idempotency_key_reused",
  ]);
  expect((await completeMultipart(api, started.id, [two, one])).body).toEqual(first.body);
});

test("404 for another workspace's upload, and for an upload by a single PUT", async () => {
  const [mine, theirs] = [await createTestTenant(), await createTestTenant()];
  const { id } = await startMultipart(theirs.api, twoParts);
  const single = (await mine.api.post("/files", { contentType: "video/mp4" })).body.data.id;
  for (const upload of [id, single]) {
    const list = [{ partNumber: 1, etag: "a" }];
    expect(getStatusAndCode(await completeMultipart(mine.api, upload, list))).toEqual([404, "not_found"]);
    expect(getStatusAndCode(await mine.api.post(`/files/multipart/${upload}/parts`, { partNumbers: [1] }))).toEqual([
      404,
      "not_found",
    ]);
    expect(getStatusAndCode(await mine.api.delete(`/files/multipart/${upload}`))).toEqual([404, "not_found"]);
  }
  const [kept] = await queryRows<{ state: string }>(sql`select state from uploads where id = ${id}`);
  expect(kept?.state).toBe("open");
});

test("422 for an empty or malformed list, invalid part numbers, and a start without a size", async () => {
  const { api } = await createTestTenant();
  const { id } = await startMultipart(api, twoParts);
  const part = { partNumber: 1, etag: "a" };
  for (const parts of [
    [],
    undefined,
    "all",
    [part, { partNumber: 2 }],
    [{ ...part, partNumber: 0 }],
    [{ ...part, partNumber: 1.5 }],
    [{ ...part, partNumber: "1" }],
    [{ ...part, etag: "" }],
    [{ ...part, etag: '""' }],
    [{ ...part, etag: "a b" }],
    [{ ...part, size: 1 }],
  ]) {
    const response = await completeMultipart(api, id, parts);
    expect([parts, response.status, response.body.error_code]).toEqual([parts, 422, "invalid_payload"]);
    expect(response.body.issues.fieldErrors).toHaveProperty("parts");
  }
  for (const partNumbers of [undefined, [], [0], [1.5], Array.from({ length: 101 }, (_, at) => at + 1)]) {
    const response = await api.post(`/files/multipart/${id}/parts`, { partNumbers });
    expect(getStatusAndCode(response)).toEqual([422, "invalid_payload"]);
  }
  const foreign = await api.post(`/files/multipart/${id}/parts`, { partNumbers: [1, 3] });
  expect([getStatusAndCode(foreign), foreign.body.message]).toEqual([
    [400, "upload_failed"],
    "The upload has parts 1 to 2, not part 3.",
  ]);
  for (const [body, field] of [
    [{ contentType: "video/mp4" }, "size"],
    [{ contentType: "video/mp4", size: 0 }, "size"],
    [{ contentType: "video/mp4", size: 5 * 1024 * MIB + 1 }, "size"],
    [{ contentType: "image/png", size: 20 * MIB + 1 }, "size"],
    [{ contentType: "video/x-msvideo", size: 1 }, "contentType"],
  ] as const) {
    const response = await api.post("/files/multipart", body);
    expect([getStatusAndCode(response), Object.keys(response.body.issues.fieldErrors)]).toEqual([
      [422, "invalid_payload"],
      [field],
    ]);
  }
});

test("201 with the same upload for a start that is repeated with its key", async () => {
  const { api } = await createTestTenant();
  const body = { contentType: "video/mp4", size: twoParts.length };
  const headers = { "Idempotency-Key": newId() };
  const [first, again] = [
    await api.post("/files/multipart", body, headers),
    await api.post("/files/multipart", body, headers),
  ];
  expect([again.status, again.body]).toEqual([201, first.body]);
});
