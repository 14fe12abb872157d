// Real files of every kind over HTTP: valid ones match ffprobe and SHA-256, invalid ones are rejected with a reason.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyMedia } from "../../lib/media/verify-media.ts";
import { putBytes } from "../files/upload-file.ts";
import { type Client, createTestTenant } from "../support/harness.ts";
import { buildBadFiles, listWrongTypes } from "./bad-files.ts";
import { createCorpus } from "./corpus.ts";
import { probeFile, type Tools, tools } from "./media-tools.ts";
import { createCountedSource } from "./sources.ts";

/** Like `uploadFile`, but without declaring a size, because an empty file cannot declare one. */
async function uploadAndFinalize(api: Client, contentType: string, bytes: Uint8Array) {
  const started = await api.post("/files", { contentType });
  expect(started.status).toBe(201);
  expect(await putBytes(started.body.data, bytes)).toBe(200);
  return await api.post(`/files/${started.body.data.id}/finalize`, undefined, { "Idempotency-Key": newId() });
}

describe.skipIf(!tools)("files made by ffmpeg and ImageMagick", async () => {
  const folder = tools ? await mkdtemp(join(tmpdir(), "corpus-")) : "";
  const good = tools ? await createCorpus(tools, folder) : [];
  const bad = tools ? await buildBadFiles(tools, folder, good) : [];
  const { ffprobe } = (tools ?? {}) as Tools;
  let api: Client;

  beforeAll(async () => {
    ({ api } = await createTestTenant());
  });

  afterAll(() => rm(folder, { recursive: true }));

  test.for(good.map((file) => [file.name, file] as const))("200 %s", async ([, { contentType, bytes, path }]) => {
    const response = await uploadAndFinalize(api, contentType, bytes);
    expect(response.body.message).toMatch(/finalized/i);
    expect(response.status).toBe(200);
    const { file, attestation } = response.body.data;
    expect(file).toMatchObject({ contentType, size: bytes.length });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const verdict = await verifyMedia(createCountedSource(bytes), contentType);
    const probed = await probeFile({ ...(tools as Tools), ffprobe }, path);
    if (contentType.startsWith("video/")) {
      const { width, height, durationMs, hasAudio } = probed;
      const streams = { hasVideoStream: true, hasAudioStream: hasAudio };
      expect(attestation).toEqual({ sha256, sizeBytes: bytes.length, durationMs, width, height, ...streams });
    } else {
      expect(attestation).toBeUndefined();
      expect(verdict).toMatchObject({ ok: true, media: { sha256, image: { width: expect.any(Number) } } });
      // ffmpeg 5 does not read animated WebP.
      const { width, height } = probed;
      if (width > 0) expect(verdict).toMatchObject({ media: { image: { width, height } } });
    }
  });

  test.for(listWrongTypes(good).map((one) => [one.file.name, one.declared, one.file] as const))(
    "200 %s as %s is stored as what it is",
    async ([, declared, { contentType, bytes }]) => {
      const response = await uploadAndFinalize(api, declared, bytes);
      expect([response.status, response.body.data?.file.contentType]).toEqual([200, contentType]);
    },
  );

  test.for(bad.map((file) => [file.name, file] as const))("400 %s", async ([, { contentType, bytes }]) => {
    const response = await uploadAndFinalize(api, contentType, bytes);
    expect([response.status, response.body.error_code]).toEqual([400, "upload_failed"]);
    // The message is a plain sentence, not an internal error of a parser.
    expect(response.body.message).toMatch(/^(The|Images|Videos|A|No) .{12,}\.$/);
    expect(response.body.message).not.toMatch(/undefined|null|NaN|RangeError|Offset|bounds/);
  });
});
