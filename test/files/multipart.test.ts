// Uploads in parts over HTTP, with real parts in the bucket: how they begin, which lists end them, and what each refusal says.
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import { expect, test } from "vitest";
import { type Answer, mintTenant, rows } from "../harness.ts";
import { complete, putPart, putParts, startParts, videoOfParts } from "./parts.ts";

const MIB = 1024 ** 2;
const twoParts = videoOfParts(2);

const told = ({ status, body }: Answer) => [status, body.error_code];
const expire = (id: string, by: string) =>
  rows(sql`update uploads set expires_at = now() - ${by}::interval where id = ${id} returning id`);

test("200 three parts, listed in any order and quoted or not, become one file with an attestation", async () => {
  const { api } = await mintTenant();
  const bytes = videoOfParts(3);
  const started = await startParts(api, bytes);
  expect(started).toMatchObject({ partSize: 8 * MIB, partCount: 3 });
  expect(started.parts.map(({ size }) => size)).toEqual([8 * MIB, 8 * MIB, 64 * 1024]);
  expect(Date.parse(started.expiresAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
  const [first, second, third] = await putParts(started, bytes);
  const answer = await complete(api, started.id, [third, { ...first, etag: first?.etag.replaceAll('"', "") }, second]);
  expect([answer.status, answer.body.message]).toEqual([200, "Upload finalized."]);
  const { file, attestation, fit } = answer.body.data;
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

test("201 a part is at least 8 MiB and there are at most 500; a hundred URLs come at once, the others when asked for", async () => {
  const { api } = await mintTenant();
  for (const [size, partSize, partCount, last] of [
    [1, 8, 1, 1],
    [8 * MIB, 8, 1, 8 * MIB],
    [8 * MIB + 1, 8, 2, 1],
    [4_000 * MIB, 8, 500, 8 * MIB],
    [4_000 * MIB + 1, 16, 251, 1],
    [5 * 1024 * MIB, 16, 320, 16 * MIB],
  ] as const) {
    const started = await startParts(api, new Uint8Array(), { size });
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

test("a part's URL takes exactly its size, again and again; the latest bytes and their ETag count", async () => {
  const { api } = await mintTenant();
  const started = await startParts(api, twoParts);
  const [first, last] = started.parts;
  if (!first || !last) throw new Error("two parts expected");
  const refused = await fetch(last.url, { method: "PUT", body: new Uint8Array(last.size + 1) });
  expect(refused.status).toBe(403);
  await refused.arrayBuffer();
  const wrong = await putPart(last, new Uint8Array(twoParts.length).fill(7));
  const right = await putParts(started, twoParts);
  const answer = await complete(api, started.id, [right[0], wrong].map(listed));
  expect(told(answer)).toEqual([400, "upload_failed"]);
  expect(answer.body.message).toContain("etag of part 2");
  expect((await complete(api, started.id, right)).status).toBe(200);
});

const listed = (part?: { partNumber: number; etag: string }) => ({ partNumber: part?.partNumber, etag: part?.etag });

test("400 upload_failed names the part that is missing, comes twice, is foreign, never arrived or has another etag; then the right list completes", async () => {
  const { api } = await mintTenant();
  const started = await startParts(api, videoOfParts(3));
  const [one, two, three] = started.parts;
  if (!one || !two || !three) throw new Error("three parts expected");
  const bytes = videoOfParts(3);
  const first = listed(await putPart(one, bytes));
  const last = listed(await putPart(three, bytes));
  const wrong = { ...first, partNumber: 2 };
  const key = newId();
  for (const [parts, says] of [
    [[first, last], "Part 2 is missing"],
    [[last], "Parts 1-2 are missing"],
    [[first, wrong, last, first], "Part 1 is listed more than once"],
    [[first, wrong, last, { ...last, partNumber: 4 }], "The upload has parts 1 to 3, not part 4"],
    [[first, wrong, last], "Part 2 has not arrived"],
  ] as const) {
    const answer = await complete(api, started.id, parts, { key });
    expect([told(answer), answer.body.message]).toEqual([[400, "upload_failed"], expect.stringContaining(says)]);
    expect(answer.body.message).toContain("stays open");
  }
  const second = listed(await putPart(two, bytes));
  for (const [parts, says] of [
    [[second, first, last].map((part, at) => ({ ...part, partNumber: at + 1 })), "The etag of parts 1-2"],
    [[first, { ...second, etag: "0".repeat(32) }, last], "The etag of part 2"],
  ] as const) {
    const answer = await complete(api, started.id, parts, { key });
    expect([told(answer), answer.body.message]).toEqual([[400, "upload_failed"], expect.stringContaining(says)]);
  }
  expect((await complete(api, started.id, [first, second, last], { key })).status).toBe(200);
});

test("200 again for a finished upload, whatever the key; a wrong list is still refused", async () => {
  const { api } = await mintTenant();
  const started = await startParts(api, twoParts);
  const parts = await putParts(started, twoParts);
  const key = newId();
  const first = await complete(api, started.id, parts, { key });
  const [replay, other] = [await complete(api, started.id, parts, { key }), await complete(api, started.id, parts)];
  expect([replay.status, replay.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect([replay.body, other.body]).toEqual([first.body, first.body]);
  expect((await api.post(`/files/${started.id}/finalize`, {}, { "Idempotency-Key": newId() })).body).toEqual(
    first.body,
  );
  const [one, two] = parts.map(listed);
  for (const [list, says] of [
    [[two], "Part 1 is missing"],
    [[one, two, two], "Part 2 is listed more than once"],
    [[one, { ...two, etag: one?.etag }], "An etag is not the one of the part"],
    [[one, { ...two, etag: "0".repeat(32) }], "An etag is not the one of the part"],
  ] as const) {
    const answer = await complete(api, started.id, list);
    expect([told(answer), answer.body.message]).toEqual([[400, "upload_failed"], expect.stringContaining(says)]);
    expect(answer.body.message).toContain("complete already");
  }
  expect(told(await complete(api, started.id, [two], { key }))).toEqual([409, "idempotency_key_reused"]);
  expect((await complete(api, started.id, [two, one])).body).toEqual(first.body);
});

test("400 upload_failed for bytes that are no video; they are deleted, the reason stays and the parts do not", async () => {
  const { api } = await mintTenant();
  const text = Buffer.alloc(8 * MIB + 20, "this is not a video ");
  const started = await startParts(api, text);
  const parts = await putParts(started, text);
  const answers = [await complete(api, started.id, parts), await complete(api, started.id, parts)];
  for (const answer of answers) {
    expect(told(answer)).toEqual([400, "upload_failed"]);
    expect(answer.body.message).toMatch(/video\/mp4.*text/);
  }
  expect(told(await api.post(`/files/multipart/${started.id}/parts`, { partNumbers: [1] }))).toEqual([
    400,
    "upload_failed",
  ]);
  expect((await api.get(`/files/${started.id}`)).status).toBe(404);
});

test("400 upload_failed once it expired, for its parts too", async () => {
  const { api } = await mintTenant();
  const started = await startParts(api, twoParts);
  const parts = await putParts(started, twoParts);
  await expire(started.id, "1 second");
  for (const answer of [
    await complete(api, started.id, parts),
    await api.post(`/files/multipart/${started.id}/parts`, { partNumbers: [1] }),
  ]) {
    expect(told(answer)).toEqual([400, "upload_failed"]);
    expect(answer.body.message).toContain("expired");
  }
  expect((await api.get(`/files/${started.id}`)).status).toBe(404);
});

test("200 aborted, again and again; its parts are gone and it cannot be completed", async () => {
  const { api } = await mintTenant();
  const started = await startParts(api, twoParts);
  const parts = await putParts(started, twoParts);
  for (let times = 0; times < 2; times++) {
    const answer = await api.delete(`/files/multipart/${started.id}`);
    expect([answer.status, answer.body.data]).toEqual([200, { id: started.id, aborted: true }]);
  }
  const [part] = started.parts;
  if (!part) throw new Error("a part expected");
  expect((await putPart(part, twoParts)).status).toBe(404);
  for (const answer of [
    await complete(api, started.id, parts),
    await api.post(`/files/multipart/${started.id}/parts`, { partNumbers: [1] }),
    await api.post(`/files/${started.id}/finalize`, {}, { "Idempotency-Key": newId() }),
  ]) {
    expect(told(answer)).toEqual([400, "upload_failed"]);
    expect(answer.body.message).toContain("aborted");
  }
});

test("400 upload_failed when a finished upload is aborted; its file stays", async () => {
  const { api } = await mintTenant();
  const started = await startParts(api, twoParts);
  await complete(api, started.id, await putParts(started, twoParts));
  const answer = await api.delete(`/files/multipart/${started.id}`);
  expect(told(answer)).toEqual([400, "upload_failed"]);
  expect(answer.body.message).toContain("DELETE /files/");
  expect((await api.get(`/files/${started.id}`)).status).toBe(200);
});

test("400 upload_failed from finalize before the parts are completed says where to send the list", async () => {
  const { api } = await mintTenant();
  const started = await startParts(api, twoParts);
  const parts = await putParts(started, twoParts);
  const answer = await api.post(`/files/${started.id}/finalize`, {}, { "Idempotency-Key": newId() });
  expect(told(answer)).toEqual([400, "upload_failed"]);
  expect(answer.body.message).toContain(`POST /files/multipart/${started.id}/complete`);
  expect((await complete(api, started.id, parts)).status).toBe(200);
});

test("404 for another workspace's upload, and for one that comes in a single PUT", async () => {
  const [mine, theirs] = [await mintTenant(), await mintTenant()];
  const { id } = await startParts(theirs.api, twoParts);
  const single = (await mine.api.post("/files", { contentType: "video/mp4" })).body.data.id;
  for (const upload of [id, single]) {
    const list = [{ partNumber: 1, etag: "a" }];
    expect(told(await complete(mine.api, upload, list))).toEqual([404, "not_found"]);
    expect(told(await mine.api.post(`/files/multipart/${upload}/parts`, { partNumbers: [1] }))).toEqual([
      404,
      "not_found",
    ]);
    expect(told(await mine.api.delete(`/files/multipart/${upload}`))).toEqual([404, "not_found"]);
  }
  const [kept] = await rows<{ state: string }>(sql`select state from uploads where id = ${id}`);
  expect(kept?.state).toBe("open");
});

test("422 for a list that is empty or malformed, for part numbers that are none, and for a start without a size", async () => {
  const { api } = await mintTenant();
  const { id } = await startParts(api, twoParts);
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
    const answer = await complete(api, id, parts);
    expect([parts, answer.status, answer.body.error_code]).toEqual([parts, 422, "invalid_payload"]);
    expect(answer.body.issues.fieldErrors).toHaveProperty("parts");
  }
  for (const partNumbers of [undefined, [], [0], [1.5], Array.from({ length: 101 }, (_, at) => at + 1)]) {
    const answer = await api.post(`/files/multipart/${id}/parts`, { partNumbers });
    expect(told(answer)).toEqual([422, "invalid_payload"]);
  }
  const foreign = await api.post(`/files/multipart/${id}/parts`, { partNumbers: [1, 3] });
  expect([told(foreign), foreign.body.message]).toEqual([
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
    const answer = await api.post("/files/multipart", body);
    expect([told(answer), Object.keys(answer.body.issues.fieldErrors)]).toEqual([[422, "invalid_payload"], [field]]);
  }
});

test("201 the same upload for a start that is repeated with its key", async () => {
  const { api } = await mintTenant();
  const body = { contentType: "video/mp4", size: twoParts.length };
  const headers = { "Idempotency-Key": newId() };
  const [first, again] = [
    await api.post("/files/multipart", body, headers),
    await api.post("/files/multipart", body, headers),
  ];
  expect([again.status, again.body]).toEqual([201, first.body]);
});
