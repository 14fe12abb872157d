import { describe, expect, test } from "vitest";
import { verifyMedia } from "../../lib/media/verify-media.ts";
import {
  changeField,
  concatBytes,
  createCountedSource,
  findFailedCheck,
  findText,
  readFixture,
  verifyFile,
} from "./sources.ts";

/** The file with one word in its head replaced by another of the same length. */
function withBrand(bytes: Uint8Array, word: string, other: string): Uint8Array {
  const copy = bytes.slice();
  copy.set(new TextEncoder().encode(other), findText(copy, word));
  return copy;
}

const encodeText = (words: string) => new TextEncoder().encode(words);
const text = encodeText("This is not a video. ".repeat(50));
const withStart = (...bytes: number[]) => concatBytes(Uint8Array.from(bytes), new Uint8Array(400).fill(0x78));

describe("files that are not a video of the declared type", () => {
  test.for([
    [
      "text",
      text,
      "video/mp4",
      "type_mismatch",
      "The file is declared as video/mp4, but its content is plain text. Use JPEG, PNG",
    ],
    ...["", "x", "xx", "xxx"].map(
      (start) =>
        [
          "emoji",
          encodeText(`${start}${"\u{1f600}".repeat(200)}`),
          "video/mp4",
          "type_mismatch",
          "is plain text.",
        ] as const,
    ),
    [
      "text in another encoding",
      Buffer.from("Caf\u00e9 au lait. ".repeat(50), "latin1"),
      "video/mp4",
      "container_unknown",
      "its content is not a supported",
    ],
    ...[0xe2, 0xe3, 0xf2, 0xf3, 0xfa, 0xfb].map(
      (byte) =>
        ["MP3", withStart(0xff, byte), "video/mp4", "type_mismatch", "its content is an MP3 recording. Use"] as const,
    ),
    ...[0xf0, 0xf1, 0xf8, 0xf9].map(
      (byte) =>
        ["AAC", withStart(0xff, byte), "video/mp4", "type_mismatch", "its content is an AAC recording. Use"] as const,
    ),
    ["nothing", new Uint8Array(0), "video/mp4", "empty", "The file is empty."],
    ["zeros", new Uint8Array(5000), "video/mp4", "type_mismatch", "but its content is nothing but zero bytes."],
    [
      "noise",
      new Uint8Array(5000).map((_, i) => (i * i * 31) % 251),
      "video/mp4",
      "container_unknown",
      "its content is not a supported image or video",
    ],
    [
      "Matroska",
      withBrand(readFixture("vp9.webm"), "webm", "matr"),
      "video/webm",
      "type_mismatch",
      "Export the video as MP4",
    ],
    ["an image", readFixture("picture.png"), "video/mp4", "type_mismatch", "image/png"],
    [
      "text of no type",
      text,
      "application/octet-stream",
      "type_mismatch",
      "The file's content is plain text. Use JPEG",
    ],
    ["audio only", readFixture("audio-only.mp4"), "video/mp4", "no_video_track", "contains no video"],
    ["an unsupported type", text, "video/x-msvideo", "unsupported_type", "video/x-msvideo"],
  ] as const)("%s", async ([, bytes, declared, check, message]) => {
    expect(await verifyFile(bytes, declared)).toMatchObject({
      ok: false,
      check,
      message: expect.stringContaining(message),
    });
  });
});

describe("videos of another type than declared are what their bytes say", () => {
  const mov = readFixture("clip.mov");
  test.for([
    ["a mov as mp4", mov, "video/mp4", "video/quicktime"],
    ["an mp4 as mov", readFixture("faststart.mp4"), "video/quicktime", "video/mp4"],
    ["a webm as mp4", readFixture("vp9.webm"), "video/mp4", "video/webm"],
    ["an mp4 of no type", readFixture("hevc.mp4"), "application/octet-stream", "video/mp4"],
    ["an ISO brand in a mov", withBrand(mov, "qt  ", "isom"), "video/quicktime", "video/mp4"],
    [
      "a QuickTime brand in an mp4",
      withBrand(readFixture("faststart.mp4"), "isom", "qt  "),
      "video/mp4",
      "video/quicktime",
    ],
    ["the brand of iTunes", withBrand(readFixture("faststart.mp4"), "isom", "M4V "), "video/x-m4v", "video/mp4"],
    ["another case and a parameter", readFixture("faststart.mp4"), 'VIDEO/MP4; codecs="avc1"', "video/mp4"],
  ] as const)("%s", async ([, bytes, declared, contentType]) => {
    expect(await verifyFile(bytes, declared)).toMatchObject({ ok: true, media: { contentType } });
  });
});

describe("wrong lengths in headers, which some recorders write", () => {
  const file = readFixture("faststart.mp4");
  // The second track, which has the audio, becomes free space.
  const alone = changeField(file, "trak", 1, -4, () => Buffer.from("free").readInt32BE());
  const half = (units: number) => Math.round(units / 2);
  const quarter = (units: number) => Math.round(units / 4);
  const twice = (units: number) => units * 2;
  test.for([
    ["half in the video track", changeField(file, "mdhd", 0, 16, half), 3000, 1500],
    ["twice in the video track", changeField(file, "mdhd", 0, 16, twice), 3000, 6000],
    ["half in the audio track", changeField(file, "mdhd", 1, 16, half), 3000, 1512],
    ["half in the movie", changeField(file, "mvhd", 0, 16, half), 3000, 1500],
    ["twice in the movie", changeField(file, "mvhd", 0, 16, twice), 3000, 6000],
    [
      "half in the track and the movie",
      changeField(changeField(file, "mdhd", 0, 16, half), "mvhd", 0, 16, half),
      3000,
      1500,
    ],
    [
      "a quarter in all, without audio",
      changeField(changeField(alone, "mdhd", 0, 16, quarter), "mvhd", 0, 16, quarter),
      3000,
      750,
    ],
    ["none in the track", changeField(file, "mdhd", 0, 16, () => 0), 3000, null],
    ["none in the movie", changeField(file, "mvhd", 0, 16, () => 0), 3000, null],
    ["as it was", file, 3000, null],
  ] as const)("%s: the frames count", async ([, bytes, durationMs, wrongDurationMs]) => {
    expect(await verifyFile(bytes, "video/mp4")).toMatchObject({
      ok: true,
      media: { video: { durationMs, wrongDurationMs } },
    });
  });

  test("a length of more than the frames, which nothing contradicts, says that frames are missing", async () => {
    const bytes = changeField(
      changeField(alone, "mdhd", 0, 16, (units) => units * 4),
      "mvhd",
      0,
      16,
      (units) => units * 4,
    );
    expect(await findFailedCheck(bytes, "video/mp4")).toBe("duration_mismatch");
  });

  test.for([
    ["vp9.webm", "video/webm"],
    ["fragmented.mp4", "video/mp4"],
    ["clip.mov", "video/quicktime"],
  ] as const)("%s has none", async ([name, type]) => {
    expect(await verifyFile(readFixture(name), type)).toMatchObject({ media: { video: { wrongDurationMs: null } } });
  });
});

test("a mirrored selfie is attested as such", async () => {
  const file = readFixture("faststart.mp4");
  expect(await verifyFile(file, "video/mp4")).toMatchObject({ media: { video: { mirrored: false } } });
  // The first number of the matrix, which follows 40 bytes of a version 0 header.
  const flipped = changeField(file, "tkhd", 0, 40, () => -0x10000);
  expect(await verifyFile(flipped, "video/mp4")).toMatchObject({
    ok: true,
    media: { video: { mirrored: true, width: 320, height: 240 } },
  });
  expect(await verifyFile(readFixture("rotated.mp4"), "video/mp4")).toMatchObject({
    media: { video: { mirrored: false } },
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

describe("truncated videos", () => {
  test.for(VIDEOS)("%s at 1 %, 50 %, 99 % and the last byte", async ([name, declared]) => {
    const bytes = readFixture(name);
    for (const share of [0.01, 0.5, 0.99]) {
      expect(await findFailedCheck(bytes.subarray(0, bytes.length * share), declared)).toMatch(/truncated|malformed/);
    }
    expect(await findFailedCheck(bytes.subarray(0, bytes.length - 1), declared)).toBe("truncated");
  });
});

describe("damaged videos", () => {
  test.for(VIDEOS)("%s with a tenth of its media blanked", async ([name, declared]) => {
    const bytes = readFixture(name);
    const media = name.endsWith("webm") ? Math.floor(bytes.length / 2) : findText(bytes, "mdat") + 400;
    bytes.fill(0, media, media + Math.floor(bytes.length / 10));
    expect(await findFailedCheck(bytes, declared)).not.toBe("accepted");
  });

  test("a blanked part of one frame", async () => {
    const bytes = readFixture("faststart.mp4");
    const frame = findText(bytes, "mdat") + 2000;
    bytes.fill(0, frame, frame + 16);
    expect(await findFailedCheck(bytes, "video/mp4")).toBe("video_data");
  });

  test("all media replaced by noise", async () => {
    const bytes = readFixture("faststart.mp4");
    for (let i = findText(bytes, "mdat") + 4; i < bytes.length; i++) bytes[i] = (i * 2654435761) >>> 24;
    expect(await findFailedCheck(bytes, "video/mp4")).toBe("video_data");
  });

  test("a sequence parameter set with another frame size", async () => {
    const bytes = readFixture("faststart.mp4");
    const sps = findText(bytes, "avcC") + 4 + 8;
    bytes[sps + 6] = (bytes[sps + 6] ?? 0) ^ 0x18;
    expect(await findFailedCheck(bytes, "video/mp4")).toMatch(/decoder_config|size_mismatch/);
  });

  test("blanked audio", async () => {
    const bytes = readFixture("audio-only.mp4");
    const mixed = readFixture("faststart.mp4");
    const frame = bytes.slice(findText(bytes, "mdat") + 4 + 200, findText(bytes, "mdat") + 4 + 260);
    const at = Buffer.from(mixed).indexOf(frame);
    expect(at).toBeGreaterThan(0);
    mixed.fill(0, at - 170, at + 300);
    expect(await findFailedCheck(mixed, "video/mp4")).not.toBe("accepted");
  });

  test("a missing index", async () => {
    const bytes = readFixture("moov-last.mp4");
    expect(await findFailedCheck(bytes.subarray(0, findText(bytes, "moov") - 4), "video/mp4")).toBe("truncated");
  });
});

describe("storage errors, which are not reported as damage", () => {
  const small = readFixture("faststart.mp4");
  const large = concatBytes(small, new Uint8Array(5 * 1024 * 1024));

  test.for([small, large])("rethrows the error of a failed read", async (bytes) => {
    const broken = { ...createCountedSource(bytes), read: () => Promise.reject(new Error("storage is unavailable")) };
    await expect(verifyMedia(broken, "video/mp4")).rejects.toThrow("storage is unavailable");
  });

  test.for([small, large])("throws for a short read", async (bytes) => {
    const short = { ...createCountedSource(bytes), read: async () => bytes.subarray(0, 10) };
    await expect(verifyMedia(short, "video/mp4")).rejects.toThrow("10 of");
  });

  test("throws for a stream that ends early", async () => {
    const whole = createCountedSource(concatBytes(small, new Uint8Array(5 * 1024 * 1024).fill(0xab)));
    const short = { ...whole, stream: async () => new Blob([small.slice()]).stream() };
    await expect(verifyMedia(short, "video/mp4")).rejects.toThrow("streamed");
  });

  test("throws the reason of an aborted signal", async () => {
    const signal = AbortSignal.abort(new Error("out of time"));
    await expect(verifyMedia(createCountedSource(small), "video/mp4", signal)).rejects.toThrow("out of time");
  });
});
