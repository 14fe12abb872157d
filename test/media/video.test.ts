import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { verifyMedia } from "../../lib/media/verify.ts";
import { box, bytesSource, fixture, join, verify } from "./sources.ts";

const SOUND = { hasVideoStream: true, hasAudioStream: true, audioCodec: "aac", videoCodec: "avc" };
const MUTE = { hasVideoStream: true, hasAudioStream: false, audioCodec: null };

describe("accepts a video and says what is in it", () => {
  test.for([
    ["faststart.mp4", "video/mp4", { durationMs: 3000, width: 320, height: 240, fps: 25, ...SOUND }],
    ["moov-last.mp4", "video/mp4", { durationMs: 3000, width: 320, height: 240, ...SOUND }],
    ["fragmented.mp4", "video/mp4", { width: 320, height: 240, ...SOUND }],
    ["clip.mov", "video/quicktime", { durationMs: 3000, width: 320, height: 240, ...SOUND }],
    ["rotated.mp4", "video/mp4", { durationMs: 1000, width: 240, height: 320, ...MUTE }],
    ["hevc.mp4", "video/mp4", { durationMs: 1000, width: 160, height: 120, videoCodec: "hevc", ...MUTE }],
    ["vp8.webm", "video/webm", { durationMs: 1000, width: 160, height: 120, videoCodec: "vp8", ...MUTE }],
    ["vp9.webm", "video/webm", { width: 160, videoCodec: "vp9", hasAudioStream: true, audioCodec: "opus" }],
    ["av1.webm", "video/webm", { durationMs: 1000, width: 160, height: 120, videoCodec: "av1", ...MUTE }],
  ] as const)("%s", async ([name, declared, facts]) => {
    const bytes = fixture(name);
    const verdict = await verify(bytes, declared);
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
    const verdict = await verify(fixture("../../local/demo.mp4"), "video/mp4");
    expect(verdict).toMatchObject({ ok: true, media: { video: { durationMs: 6000, width: 720, height: 1280 } } });
  });

  test("a small file costs one read", async () => {
    const source = bytesSource(fixture("moov-last.mp4"));
    await verifyMedia(source, "video/mp4");
    expect(source.reads()).toBe(1);
  });

  test("a large file is read in ranges, few of them, and hashed whole", async () => {
    const bytes = join(fixture("moov-last.mp4"), box("free", new Uint8Array(12 * 1024 * 1024)));
    const source = bytesSource(bytes);
    const verdict = await verifyMedia(source, "video/mp4");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(verdict).toMatchObject({ ok: true, media: { sha256, bytes: bytes.length, video: { durationMs: 3000 } } });
    expect(source.reads()).toBeLessThan(12);
  });

  test("a trailer that a camera appended behind the last box does no harm", async () => {
    const verdict = await verify(join(fixture("faststart.mp4"), new Uint8Array(40).fill(0xab)), "video/mp4");
    expect(verdict.ok).toBe(true);
  });
});
