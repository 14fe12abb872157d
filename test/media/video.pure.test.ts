import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { verifyMedia } from "../../lib/media/verify-media.ts";
import {
  buildBox,
  concatBytes,
  createCountedSource,
  findFailedCheck,
  findText,
  readFixture,
  verifyFile,
} from "./sources.ts";

const WITH_AUDIO = { hasVideoStream: true, hasAudioStream: true, audioCodec: "aac", videoCodec: "avc" };
const WITHOUT_AUDIO = { hasVideoStream: true, hasAudioStream: false, audioCodec: null };

describe("valid videos", () => {
  test.for([
    ["faststart.mp4", "video/mp4", { durationMs: 3000, width: 320, height: 240, fps: 25, ...WITH_AUDIO }],
    ["moov-last.mp4", "video/mp4", { durationMs: 3000, width: 320, height: 240, ...WITH_AUDIO }],
    ["fragmented.mp4", "video/mp4", { width: 320, height: 240, ...WITH_AUDIO }],
    ["clip.mov", "video/quicktime", { durationMs: 3000, width: 320, height: 240, ...WITH_AUDIO }],
    ["rotated.mp4", "video/mp4", { durationMs: 1000, width: 240, height: 320, ...WITHOUT_AUDIO }],
    ["hevc.mp4", "video/mp4", { durationMs: 1000, width: 160, height: 120, videoCodec: "hevc", ...WITHOUT_AUDIO }],
    ["vp8.webm", "video/webm", { durationMs: 1000, width: 160, height: 120, videoCodec: "vp8", ...WITHOUT_AUDIO }],
    ["vp9.webm", "video/webm", { width: 160, videoCodec: "vp9", hasAudioStream: true, audioCodec: "opus" }],
    ["av1.webm", "video/webm", { durationMs: 1000, width: 160, height: 120, videoCodec: "av1", ...WITHOUT_AUDIO }],
  ] as const)("%s", async ([name, declared, facts]) => {
    const bytes = readFixture(name);
    const verdict = await verifyFile(bytes, declared);
    expect(verdict).toMatchObject({
      ok: true,
      media: {
        contentType: declared,
        bytes: bytes.length,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        video: facts,
      },
    });
    expect(verdict.ok && verdict.media.image).toBeFalsy();
  });

  test("the demo clip", async () => {
    const verdict = await verifyFile(readFixture("../../local/demo.mp4"), "video/mp4");
    expect(verdict).toMatchObject({ ok: true, media: { video: { durationMs: 6000, width: 720, height: 1280 } } });
  });

  test("a small file costs one read", async () => {
    const source = createCountedSource(readFixture("moov-last.mp4"));
    await verifyMedia(source, "video/mp4");
    expect(source.reads()).toBe(1);
  });

  test("a large file is read in few ranges and hashed whole", async () => {
    const bytes = concatBytes(readFixture("moov-last.mp4"), buildBox("free", new Uint8Array(12 * 1024 * 1024)));
    const source = createCountedSource(bytes);
    const verdict = await verifyMedia(source, "video/mp4");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(verdict).toMatchObject({ ok: true, media: { sha256, bytes: bytes.length, video: { durationMs: 3000 } } });
    expect(source.reads()).toBeLessThan(12);
  });

  test("a trailer that a camera appended after the last box", async () => {
    const verdict = await verifyFile(
      concatBytes(readFixture("faststart.mp4"), new Uint8Array(40).fill(0xab)),
      "video/mp4",
    );
    expect(verdict.ok).toBe(true);
  });
});

describe("the file type, which QuickTime does not require, and which need not be first", () => {
  const [late, early] = [readFixture("moov-last.mp4"), readFixture("faststart.mp4")];
  const start = findText(early, "moov") - 4;
  const end = findText(early, "mdat") - 4;
  const [fileType, index, media] = [early.subarray(0, start), early.subarray(start, end), early.subarray(end)];
  /** A box of the length of the file type, so that the offsets in the index stay right. */
  const fill = (name: string) => buildBox(name, new Uint8Array(start - 8));
  const shorter = buildBox("ftyp", fileType.subarray(8, start - 8));
  const [first, last] = [late.subarray(0, findText(late, "moov") - 4), late.subarray(findText(late, "moov") - 4)];
  const wide = concatBytes(buildBox("wide", new Uint8Array(0)), buildBox("mdat", first.subarray(16)));

  test.for([
    ["media", concatBytes(fill("mdat"), index, media), "video/quicktime"],
    ["media before the index", concatBytes(buildBox("mdat", first.subarray(8)), last), "video/quicktime"],
    ["free space of the old kind", concatBytes(fill("wide"), index, media), "video/quicktime"],
    ["free space and media", concatBytes(wide, last), "video/quicktime"],
    ["skipped space", concatBytes(fill("skip"), index, media), "video/quicktime"],
    ["free space", concatBytes(fill("free"), index, media), "video/quicktime"],
    ["a preview", concatBytes(fill("pnot"), index, media), "video/quicktime"],
    ["the index", concatBytes(index, fill("free"), media), "video/quicktime"],
    ["the index, and the file type after it", concatBytes(index, fileType, media), "video/quicktime"],
    [
      "free space before the file type",
      concatBytes(buildBox("free", new Uint8Array(0)), shorter, index, media),
      "video/mp4",
    ],
  ] as const)("begins with %s", async ([, bytes, contentType]) => {
    for (const declared of ["video/mp4", "video/quicktime"]) {
      const facts = { durationMs: 3000, width: 320, height: 240, videoCodec: "avc", audioCodec: "aac" };
      expect(await verifyFile(bytes, declared)).toMatchObject({ ok: true, media: { contentType, video: facts } });
    }
  });

  test("the same is damaged where the frames are not at the offsets of the index", async () => {
    expect(await findFailedCheck(concatBytes(index, media), "video/mp4")).not.toBe("accepted");
  });
});
