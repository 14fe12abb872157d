// Real files of every kind over HTTP: fine ones are attested as ffprobe and SHA-256 say, bad ones refused with a reason.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { v7 as newId } from "uuid";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyMedia } from "../../lib/media/verify.ts";
import { put } from "../files/uploaded.ts";
import { type Client, mintTenant } from "../harness.ts";
import { badFiles } from "./bad.ts";
import { makeCorpus } from "./corpus.ts";
import { bytesSource } from "./sources.ts";
import { probe, type Tools, tools } from "./tools.ts";

/** Like `upload`, without a size: an empty file has none that could be announced. */
async function send(api: Client, contentType: string, bytes: Uint8Array) {
  const started = await api.post("/files", { contentType });
  expect(started.status).toBe(201);
  expect(await put(started.body.data, bytes)).toBe(200);
  return await api.post(`/files/${started.body.data.id}/finalize`, undefined, { "Idempotency-Key": newId() });
}

describe.skipIf(!tools)("files made by ffmpeg and ImageMagick", async () => {
  const folder = tools ? await mkdtemp(join(tmpdir(), "corpus-")) : "";
  const good = tools ? await makeCorpus(tools, folder) : [];
  const bad = tools ? await badFiles(tools, folder, good) : [];
  const { ffprobe } = (tools ?? {}) as Tools;
  let api: Client;

  beforeAll(async () => {
    ({ api } = await mintTenant());
  });

  afterAll(() => rm(folder, { recursive: true }));

  test.for(good.map((file) => [file.name, file] as const))("200 %s", async ([, { contentType, bytes, path }]) => {
    const answer = await send(api, contentType, bytes);
    expect(answer.body.message).toMatch(/finalized/i);
    expect(answer.status).toBe(200);
    const { file, attestation } = answer.body.data;
    expect(file).toMatchObject({ contentType, size: bytes.length });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const verdict = await verifyMedia(bytesSource(bytes), contentType);
    const probed = await probe({ ...(tools as Tools), ffprobe }, path);
    if (contentType.startsWith("video/")) {
      const { width, height, durationMs, sound } = probed;
      const streams = { hasVideoStream: true, hasAudioStream: sound };
      expect(attestation).toEqual({ sha256, sizeBytes: bytes.length, durationMs, width, height, ...streams });
    } else {
      expect(attestation).toBeUndefined();
      expect(verdict).toMatchObject({ ok: true, media: { sha256, image: { width: expect.any(Number) } } });
      // ffmpeg 5 does not read animated WebP.
      const { width, height } = probed;
      if (width > 0) expect(verdict).toMatchObject({ media: { image: { width, height } } });
    }
  });

  test.for(bad.map((file) => [file.name, file] as const))("400 %s", async ([, { contentType, bytes }]) => {
    const answer = await send(api, contentType, bytes);
    expect([answer.status, answer.body.error_code]).toEqual([400, "upload_failed"]);
    // A plain sentence that says what is wrong, and not how our parser put it.
    expect(answer.body.message).toMatch(/^(The|Images|Videos|A|No) .{12,}\.$/);
    expect(answer.body.message).not.toMatch(/undefined|null|NaN|RangeError|Offset|bounds/);
  });
});
