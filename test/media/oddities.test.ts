// Unusual files that viewers open are accepted, and files that no player opens are named as what they are.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { getFfmpegErrors, runCommand, tools } from "./media-tools.ts";
import { concatBytes, findFailedCheck, findText, verifyFile } from "./sources.ts";

const WHY_SKIPPED = "ffmpeg and ImageMagick are not installed";
const folder = await mkdtemp(join(tmpdir(), "oddities-"));
afterAll(() => rm(folder, { recursive: true }));

async function create(tool: "ffmpeg" | "magick", args: string[], name: string): Promise<Uint8Array> {
  const path = join(folder, name);
  const flags = tool === "ffmpeg" ? ["-nostdin", "-v", "error", "-y"] : [];
  await runCommand(tools?.[tool] ?? tool, [...flags, ...args, path]);
  return new Uint8Array(await readFile(path));
}

describe("JPEG", () => {
  const STILL = ["-size", "96x64", "plasma:red-blue", "-seed", "7", "-define", "jpeg:optimize-coding=false"];
  const [DQT, SOF, DHT, SOS] = [0xdb, 0xc0, 0xc4, 0xda];

  interface Segment {
    marker: number;
    bytes: Uint8Array;
  }

  /** The segments before the scan, and the rest. */
  function split(jpeg: Uint8Array): { segments: Segment[]; rest: Uint8Array } {
    const segments: Segment[] = [];
    for (let at = 2; ; ) {
      const marker = jpeg[at + 1] ?? 0;
      if (marker === SOS) return { segments, rest: jpeg.slice(at) };
      const end = at + 2 + (jpeg[at + 2] ?? 0) * 256 + (jpeg[at + 3] ?? 0);
      segments.push({ marker, bytes: jpeg.slice(at, end) });
      at = end;
    }
  }

  const joinSegments = (segments: Segment[], rest: Uint8Array) =>
    concatBytes(Uint8Array.of(0xff, 0xd8), ...segments.map(({ bytes }) => bytes), rest);

  function insertBefore(marker: number, bytes: number[]) {
    return (jpeg: Uint8Array) => {
      const { segments, rest } = split(jpeg);
      const at = segments.findIndex((segment) => segment.marker === marker);
      return joinSegments(segments.toSpliced(at, 0, { marker: 0, bytes: Uint8Array.from(bytes) }), rest);
    };
  }

  const ODDITIES: [name: string, change: (jpeg: Uint8Array) => Uint8Array][] = [
    ["stray bytes between segments", insertBefore(DQT, [0x12, 0x34, 0x00, 0x56])],
    ["an escaped byte between segments", insertBefore(DHT, [0xff, 0x00, 0x77])],
    ["restart markers between segments", insertBefore(SOF, [0xff, 0xd0, 0xff, 0xd1, 0xff, 0x01])],
    [
      "components with the same id",
      (jpeg) => {
        const { segments, rest } = split(jpeg);
        const frame = segments.find(({ marker }) => marker === SOF)?.bytes;
        for (const component of [0, 1, 2]) {
          if (frame) frame[10 + component * 3] = 1;
          rest[5 + component * 2] = 1;
        }
        return joinSegments(segments, rest);
      },
    ],
    ["a segment with the number of lines", insertBefore(DHT, [0xff, 0xdc, 0, 4, 0, 64])],
    [
      "no Huffman tables, as a frame of a Motion JPEG",
      (jpeg) => {
        const { segments, rest } = split(jpeg);
        return joinSegments(
          segments.filter(({ marker }) => marker !== DHT),
          rest,
        );
      },
    ],
  ];

  test.for(ODDITIES)("%s", async ([name, change], { skip }) => {
    skip(!tools, WHY_SKIPPED);
    const plain = await create("magick", STILL, "plain.jpg");
    const odd = change(plain);
    expect(odd).not.toEqual(plain);
    const { ok, media } = (await verifyFile(odd, "image/jpeg")) as { ok: boolean; media?: { image?: object } };
    expect([name, ok, media?.image]).toEqual([name, true, expect.objectContaining({ width: 96, height: 64 })]);
    // The same pixels as without the oddity, by another decoder.
    await writeFile(join(folder, "odd.jpg"), odd);
    const pixels = (of: string) => create("magick", [join(folder, of), "-depth", "8"], `${of}.rgb`);
    expect(await pixels("odd.jpg")).toEqual(await pixels("plain.jpg"));
  });

  test("stray bytes do not hide a cut: without the end of the image it is incomplete", async ({ skip }) => {
    skip(!tools, WHY_SKIPPED);
    const odd = insertBefore(DQT, [0x12])(await create("magick", STILL, "plain.jpg"));
    expect(await findFailedCheck(odd.subarray(0, -2), "image/jpeg")).toBe("truncated");
    expect(await findFailedCheck(odd.subarray(0, odd.length / 2), "image/jpeg")).toBe("truncated");
  });
});

describe("VP9", () => {
  const PATTERN = ["-f", "lavfi", "-i", "testsrc2=s=320x240:d=0.5:r=10"];
  const VP9 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"];
  const FORMATS = [
    ["0", "yuv420p"],
    ["1", "yuv422p"],
    ["1", "yuv440p"],
    ["1", "yuv444p"],
    ["1", "gbrp"],
    ["2", "yuv420p10le"],
    ["3", "yuv422p10le"],
    ["3", "yuv444p12le"],
    ["3", "gbrp10le"],
  ] as const;

  test.for(FORMATS)("profile %s, %s", async ([, format], { skip }) => {
    skip(!tools, WHY_SKIPPED);
    const bytes = await create("ffmpeg", [...PATTERN, "-pix_fmt", format, ...VP9], "profile.webm");
    const verdict = await verifyFile(bytes, "video/webm");
    expect(verdict).toMatchObject({ ok: true, media: { video: { videoCodec: "vp9", width: 320, frames: 5 } } });
  });

  test("several tiles, hidden frames and a stream that recovers from losses", async ({ skip }) => {
    skip(!tools, WHY_SKIPPED);
    const large = ["-f", "lavfi", "-i", "testsrc2=s=1280x720:d=1:r=10", "-c:v", "libvpx-vp9", "-cpu-used", "5"];
    const args = ["-tile-columns", "2", "-tile-rows", "1", "-auto-alt-ref", "1", "-lag-in-frames", "8", "-b:v", "300k"];
    for (const options of [args, ["-deadline", "realtime", "-error-resilient", "1", "-aq-mode", "3", "-b:v", "200k"]]) {
      const bytes = await create("ffmpeg", [...large, ...options], "tiles.webm");
      expect(await verifyFile(bytes, "video/webm")).toMatchObject({ ok: true, media: { video: { width: 1280 } } });
    }
  });

  /** Byte offsets of the frames of a WebM file with one track. */
  function findFrames(bytes: Uint8Array): number[] {
    // A simple block: its id, a size of one to eight bytes, track 1, a time of two bytes, and flags.
    const found: number[] = [];
    for (let at = 0; at + 12 < bytes.length; at++) {
      if (bytes[at] !== 0xa3) continue;
      const content = at + 1 + Math.clz32(bytes[at + 1] ?? 0) - 23;
      if (bytes[content] === 0x81 && ((bytes[content + 3] ?? 0) & 0x7f) === 0 && (bytes[content + 4] ?? 0) >> 6 === 2)
        found.push(content + 4);
    }
    return found;
  }

  test("frames that do not decode are rejected", async ({ skip }) => {
    if (!tools) return skip(WHY_SKIPPED);
    const good = await create("ffmpeg", [...PATTERN, "-pix_fmt", "yuv420p", ...VP9], "good.webm");
    const [, second = 0] = findFrames(good);
    expect(findFrames(good)).toHaveLength(5);
    const damages: [name: string, at: number, value: number][] = [
      ["a reserved profile", second, (good[second] ?? 0) | 0x38],
      ["no frame marker", second, (good[second] ?? 0) & 0x3f],
      ["headers of noise", second + 1, 0xff],
    ];
    for (const [name, at, value] of damages) {
      const damaged = good.slice();
      damaged.fill(value, at, at + (name === "headers of noise" ? 12 : 1));
      const path = join(folder, "damaged.webm");
      await writeFile(path, damaged);
      expect([name, await findFailedCheck(damaged, "video/webm")]).toEqual([name, "video_data"]);
      expect([name, (await getFfmpegErrors(tools, path)) === ""]).toEqual([name, false]);
    }
  });
});

test("audio in a codec that the demuxer has no name for has the code of the file", async ({ skip }) => {
  skip(!tools, WHY_SKIPPED);
  const args = ["-f", "lavfi", "-i", "testsrc2=s=352x288:d=0.5:r=10", "-f", "lavfi", "-i", "sine=440:d=0.5"];
  const bytes = await create("ffmpeg", [...args, "-c:v", "libx264", "-c:a", "alac"], "alac.mov");
  const video = { hasAudioStream: true, audioCodec: "alac" };
  expect(await verifyFile(bytes, "video/quicktime")).toMatchObject({ ok: true, media: { video } });
});

describe("files that no player opens", () => {
  const PATTERN = ["-f", "lavfi", "-i", "testsrc2=s=352x288:d=0.2:r=10"];
  const NAMED = [
    ["sorenson.mov", ["-c:v", "svq1"], "Sorenson Video"],
    ["cinepak.mov", ["-c:v", "cinepak"], "Cinepak"],
    ["motion.mov", ["-c:v", "mjpeg"], "Motion JPEG"],
    ["xvid.mp4", ["-c:v", "mpeg4"], "MPEG-4 Part 2 (DivX, Xvid)"],
    ["tape.mov", ["-s", "720x576", "-r", "25", "-pix_fmt", "yuv420p", "-c:v", "dvvideo"], "DV"],
    ["cineform.mov", ["-c:v", "cfhd"], "CineForm"],
  ] as const;

  test.for(NAMED)("%s", async ([name, args, codec], { skip }) => {
    skip(!tools, WHY_SKIPPED);
    const bytes = await create("ffmpeg", [...PATTERN, ...args], name);
    const verdict = await verifyFile(bytes, name.endsWith(".mov") ? "video/quicktime" : "video/mp4");
    expect(verdict).toMatchObject({ ok: false, check: "unsupported_codec" });
    expect(verdict).toMatchObject({ message: expect.stringContaining(`uses ${codec}, which is not supported`) });
  });

  test("HEVC that only a decoder of Dolby Vision shows in its colors", async ({ skip }) => {
    skip(!tools, WHY_SKIPPED);
    const args = ["-c:v", "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1"];
    const bytes = await create("ffmpeg", [...PATTERN, ...args], "dolby.mp4");
    bytes.set(Buffer.from("dvh1"), findText(bytes, "hvc1"));
    const message = expect.stringContaining("uses Dolby Vision, which is not supported");
    expect(await verifyFile(bytes, "video/mp4")).toMatchObject({ ok: false, message });
  });

  const ENCRYPTED = {
    ok: false,
    check: "unsupported_codec",
    message: "The video is encrypted (DRM), so it cannot be played. Upload a copy without encryption.",
  };

  test("an encrypted MP4, whole and in fragments", async ({ skip }) => {
    skip(!tools, WHY_SKIPPED);
    const key = [
      "-encryption_key",
      "76a6c65c5ea762046bd749a2e632ccbb",
      "-encryption_kid",
      "a7e61c373e219033c21091fa607bf3b8",
    ];
    for (const more of [[], ["-movflags", "frag_keyframe+empty_moov"]]) {
      const args = [
        ...PATTERN,
        "-c:v",
        "libx264",
        "-pix_fmt",
        "yuv420p",
        "-encryption_scheme",
        "cenc-aes-ctr",
        ...key,
        ...more,
      ];
      expect(await verifyFile(await create("ffmpeg", args, "encrypted.mp4"), "video/mp4")).toMatchObject(ENCRYPTED);
    }
  });

  test("an encrypted WebM", async ({ skip }) => {
    skip(!tools, WHY_SKIPPED);
    const live = await create("ffmpeg", [...PATTERN, "-c:v", "libvpx", "-live", "1"], "plain.webm");
    expect(await findFailedCheck(live, "video/webm")).toBe("accepted");
    expect(await verifyFile(encryptTracks(live), "video/webm")).toMatchObject(ENCRYPTED);
  });

  /** Appends ContentEncodings with an encryption to the only track; the frames stay as they are. */
  function encryptTracks(webm: Uint8Array): Uint8Array {
    const view = Buffer.from(webm);
    // The table of contents at the beginning has the same id.
    const tracks = view.lastIndexOf(Buffer.from([0x16, 0x54, 0xae, 0x6b]), 1024);
    const entry = view.indexOf(0xae, tracks + 4);
    const encryption = [0x6d, 0x80, 0x89, 0x62, 0x40, 0x86, 0x50, 0x35, 0x83, 0x47, 0xe1, 0x80];
    // Both sizes are of eight bytes, or of one.
    const sizes = [tracks + 4, entry + 1].map((at) => {
      const length = Math.clz32(view[at] ?? 0) - 23;
      const size = Number(BigInt.asUintN(length * 7, BigInt(`0x${view.toString("hex", at, at + length)}`)));
      return { at, length, size };
    });
    const [, inner] = sizes;
    const end = (inner?.at ?? 0) + (inner?.length ?? 0) + (inner?.size ?? 0);
    const grown = Buffer.concat([view.subarray(0, end), Buffer.from(encryption), view.subarray(end)]);
    for (const { at, length, size } of sizes)
      for (let byte = 0, left = size + encryption.length; byte < length; byte++, left = Math.floor(left / 256))
        grown[at + length - 1 - byte] = (left & 255) | (byte === length - 1 ? 0x80 >> (length - 1) : 0);
    return new Uint8Array(grown);
  }
});
