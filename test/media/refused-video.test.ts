import { describe, expect, test } from "vitest";
import { verifyMedia } from "../../lib/media/verify.ts";
import { bytesSource, checkOf, fixture, indexOf, join, verify } from "./sources.ts";

const text = new TextEncoder().encode("This is not a video. ".repeat(50));

describe("names what was sent instead of a video", () => {
  test.for([
    ["text", text, "video/mp4", "type_mismatch", "The file is declared as video/mp4 but its bytes are plain text."],
    ["nothing", new Uint8Array(0), "video/mp4", "empty", "The file is empty."],
    ["zeros", new Uint8Array(5000), "video/mp4", "type_mismatch", "but its bytes are nothing but zero bytes."],
    [
      "noise",
      new Uint8Array(5000).map((_, i) => (i * i * 31) % 251),
      "video/mp4",
      "container_unknown",
      "no known type",
    ],
    ["a mov", fixture("clip.mov"), "video/mp4", "type_mismatch", "video/quicktime"],
    ["an mp4 as mov", fixture("faststart.mp4"), "video/quicktime", "type_mismatch", "video/mp4"],
    ["a webm", fixture("vp9.webm"), "video/mp4", "type_mismatch", "video/webm"],
    ["a picture", fixture("picture.png"), "video/mp4", "type_mismatch", "image/png"],
    ["sound", fixture("sound-only.mp4"), "video/mp4", "no_video_track", "contains no video"],
    ["a type we do not take", text, "video/x-msvideo", "unsupported_type", "video/x-msvideo"],
  ] as const)("%s", async ([, bytes, declared, check, message]) => {
    expect(await verify(bytes, declared)).toMatchObject({
      ok: false,
      check,
      message: expect.stringContaining(message),
    });
  });
});

const VIDEOS = [
  ["faststart.mp4", "video/mp4"],
  ["moov-last.mp4", "video/mp4"],
  ["fragmented.mp4", "video/mp4"],
  ["clip.mov", "video/quicktime"],
  ["hevc.mp4", "video/mp4"],
  ["vp8.webm", "video/webm"],
  ["vp9.webm", "video/webm"],
  ["av1.webm", "video/webm"],
] as const;

describe("refuses a video that was cut off", () => {
  test.for(VIDEOS)("%s at 1 %, 50 %, 99 % and the last byte", async ([name, declared]) => {
    const bytes = fixture(name);
    for (const share of [0.01, 0.5, 0.99]) {
      expect(await checkOf(bytes.subarray(0, bytes.length * share), declared)).toMatch(/truncated|malformed/);
    }
    expect(await checkOf(bytes.subarray(0, bytes.length - 1), declared)).toBe("truncated");
  });
});

describe("refuses a video with damage inside", () => {
  test.for(VIDEOS)("%s with a tenth of its media blanked", async ([name, declared]) => {
    const bytes = fixture(name);
    const media = name.endsWith("webm") ? Math.floor(bytes.length / 2) : indexOf(bytes, "mdat") + 400;
    bytes.fill(0, media, media + Math.floor(bytes.length / 10));
    expect(await checkOf(bytes, declared)).not.toBe("accepted");
  });

  test("a blanked piece of one frame", async () => {
    const bytes = fixture("faststart.mp4");
    const frame = indexOf(bytes, "mdat") + 2000;
    bytes.fill(0, frame, frame + 16);
    expect(await checkOf(bytes, "video/mp4")).toBe("video_data");
  });

  test("all media replaced by noise", async () => {
    const bytes = fixture("faststart.mp4");
    for (let i = indexOf(bytes, "mdat") + 4; i < bytes.length; i++) bytes[i] = (i * 2654435761) >>> 24;
    expect(await checkOf(bytes, "video/mp4")).toBe("video_data");
  });

  test("a sequence parameter set with another picture size", async () => {
    const bytes = fixture("faststart.mp4");
    const sps = indexOf(bytes, "avcC") + 4 + 8;
    bytes[sps + 6] = (bytes[sps + 6] ?? 0) ^ 0x18;
    expect(await checkOf(bytes, "video/mp4")).toMatch(/decoder_config|size_mismatch/);
  });

  test("blanked sound", async () => {
    const bytes = fixture("sound-only.mp4");
    const mixed = fixture("faststart.mp4");
    const frame = bytes.slice(indexOf(bytes, "mdat") + 4 + 200, indexOf(bytes, "mdat") + 4 + 260);
    const at = Buffer.from(mixed).indexOf(frame);
    expect(at).toBeGreaterThan(0);
    mixed.fill(0, at - 170, at + 300);
    expect(await checkOf(mixed, "video/mp4")).not.toBe("accepted");
  });

  test("an index that is missing", async () => {
    const bytes = fixture("moov-last.mp4");
    expect(await checkOf(bytes.subarray(0, indexOf(bytes, "moov") - 4), "video/mp4")).toBe("truncated");
  });
});

describe("does not take a failure of the storage for damage", () => {
  const small = fixture("faststart.mp4");
  const large = join(small, new Uint8Array(5 * 1024 * 1024));

  test.for([small, large])("a read that fails is thrown on", async (bytes) => {
    const broken = { ...bytesSource(bytes), read: async () => Promise.reject(new Error("storage is away")) };
    await expect(verifyMedia(broken, "video/mp4")).rejects.toThrow("storage is away");
  });

  test.for([small, large])("a read that comes back short is thrown", async (bytes) => {
    const short = { ...bytesSource(bytes), read: async () => bytes.subarray(0, 10) };
    await expect(verifyMedia(short, "video/mp4")).rejects.toThrow("10 of");
  });

  test("a stream that ends early is thrown", async () => {
    const whole = bytesSource(join(small, new Uint8Array(5 * 1024 * 1024).fill(0xab)));
    const short = { ...whole, stream: async () => new Blob([small.slice()]).stream() };
    await expect(verifyMedia(short, "video/mp4")).rejects.toThrow("streamed");
  });

  test("an aborted signal is thrown", async () => {
    const signal = AbortSignal.abort(new Error("out of time"));
    await expect(verifyMedia(bytesSource(small), "video/mp4", signal)).rejects.toThrow("out of time");
  });
});
