import { describe, expect, test } from "vitest";
import { openBudgetedSource } from "../../lib/media/budgeted-source.ts";
import { LIMITS } from "../../lib/media/limits.ts";
import { verifyMedia } from "../../lib/media/verify-media.ts";
import { checkVideo } from "../../lib/media/video/check-video.ts";
import {
  buildBox,
  type CountedSource,
  concatBytes,
  createRepeatingSource,
  createSparseSource,
  findFailedCheck,
  findText,
  patchField,
  readFixture,
  verifyFile,
} from "./sources.ts";

const GIB = 1024 ** 3;
const FTYP = buildBox("ftyp", new TextEncoder().encode("isom\0\0\0\0isom"));
const HUGE = 0xfffffff0;

async function verifyWithinReadLimit(source: CountedSource, declared: string): Promise<string> {
  const verdict = await verifyMedia(source, declared);
  expect(source.reads()).toBeLessThanOrEqual(LIMITS.reads);
  return verdict.ok ? "accepted" : verdict.check;
}

describe("crafted files that are rejected quickly", () => {
  test("5 GiB of boxes of eight bytes", async () => {
    expect(
      await verifyWithinReadLimit(
        createRepeatingSource(5 * GIB, buildBox("free", new Uint8Array(0))),
        "video/quicktime",
      ),
    ).toBe("too_complex");
  });

  test("5 GiB of boxes that each cost a read", async () => {
    const step = buildBox("free", new Uint8Array(LIMITS.pageBytes * 4 - 8));
    expect(await verifyWithinReadLimit(createRepeatingSource(5 * GIB, step), "video/quicktime")).toBe("too_complex");
  });

  test("5 GiB of empty WebM elements", async () => {
    const head = readFixture("vp9.webm").subarray(0, 48);
    const blank = new Uint8Array([0xec, 0x80]);
    const tail = createRepeatingSource(5 * GIB, blank);
    const source: CountedSource = {
      ...tail,
      read: async (offset, length) => {
        const bytes = await tail.read(offset, length);
        if (offset === 0) bytes.set([...head.subarray(0, 40), 0x18, 0x53, 0x80, 0x67, 0x01, ...Array(7).fill(255)]);
        return bytes;
      },
    };
    expect(await verifyWithinReadLimit(source, "video/webm")).not.toBe("accepted");
  });

  test("a box of size zero, one and seven", async () => {
    for (const size of [0, 1, 7]) {
      const loop = new Uint8Array(64);
      new DataView(loop.buffer).setUint32(0, size);
      loop.set(new TextEncoder().encode("free"), 4);
      expect(await findFailedCheck(concatBytes(FTYP, loop), "video/mp4")).toMatch(/truncated|malformed/);
    }
  });

  test("an index that declares 4 GiB", async () => {
    const head = concatBytes(FTYP, buildBox("moov", new Uint8Array(0)));
    new DataView(head.buffer).setUint32(FTYP.length, HUGE);
    expect(await verifyWithinReadLimit(createSparseSource(5 * GIB, head), "video/mp4")).toBe("too_complex");
  });

  test("boxes nested a thousand deep", async () => {
    let nest = buildBox("mvhd", new Uint8Array(100));
    for (let i = 0; i < 1000; i++) nest = buildBox("dinf", nest);
    expect(await findFailedCheck(concatBytes(FTYP, buildBox("moov", nest)), "video/mp4")).toBe("too_complex");
  });

  test.for([
    ["stsz", 8],
    ["stts", 4],
    ["stts", 8],
    ["ctts", 4],
    ["ctts", 8],
    ["stsc", 4],
    ["stsc", 8],
    ["stco", 4],
    ["stco", 8],
    ["stss", 4],
  ] as const)("table %s with a huge number at %i", async ([name, offset]) => {
    expect(await findFailedCheck(patchField(readFixture("faststart.mp4"), name, offset, HUGE), "video/mp4")).not.toBe(
      "accepted",
    );
  });

  test("a chunk that declares billions of samples, in the last run of the table", async () => {
    const bytes = readFixture("faststart.mp4");
    const table = findText(bytes, "stsc") + 4;
    const runs = new DataView(bytes.buffer).getUint32(table + 4);
    new DataView(bytes.buffer).setUint32(table + 8 + (runs - 1) * 12 + 4, HUGE);
    expect(await findFailedCheck(bytes, "video/mp4")).toBe("malformed");
  });

  test("a table in a box where it would bypass the checks", async () => {
    const bytes = readFixture("faststart.mp4");
    const moov = bytes.slice(findText(bytes, "moov") + 4, findText(bytes, "mdat") - 4);
    const hidden = buildBox("dinf", buildBox("stts", new Uint8Array(8)));
    expect(
      await findFailedCheck(concatBytes(FTYP, buildBox("moov", concatBytes(moov, hidden)), bytes), "video/mp4"),
    ).toBe("malformed");
  });

  test("ignores a seek table that points nowhere", async () => {
    const table = buildBox("mfra", new Uint8Array(16));
    const content = concatBytes(table, new Uint8Array(44));
    new DataView(content.buffer).setUint32(content.length - 4, content.length);
    const verdict = await verifyFile(
      concatBytes(readFixture("fragmented.mp4"), buildBox("mdat", content)),
      "video/mp4",
    );
    expect(verdict).toMatchObject({ ok: true, media: { video: { width: 320, height: 240 } } });
  });

  test("a fragment with four billion samples", async () => {
    expect(await findFailedCheck(patchField(readFixture("fragmented.mp4"), "trun", 4, HUGE), "video/mp4")).not.toBe(
      "accepted",
    );
  });

  test("a video over 5 GiB and an image over 20 MiB, without reading them", async () => {
    const large = createSparseSource(5 * GIB + 1, FTYP);
    expect(await verifyWithinReadLimit(large, "video/mp4")).toBe("too_large");
    expect(await verifyWithinReadLimit(createSparseSource(20 * 1024 * 1024 + 1, FTYP), "image/png")).toBe("too_large");
    expect(large.reads()).toBe(0);
  });
});

test("a video that is mostly filler costs few reads in addition to the stream", async () => {
  const clip = readFixture("faststart.mp4");
  const filler = new Uint8Array(16);
  new DataView(filler.buffer).setUint32(0, 1);
  filler.set(new TextEncoder().encode("free"), 4);
  new DataView(filler.buffer).setBigUint64(8, BigInt(GIB - clip.length));
  const source = createSparseSource(GIB, concatBytes(clip, filler));
  const { facts } = await checkVideo(await openBudgetedSource(source, undefined), "video/mp4");
  expect(facts).toMatchObject({ durationMs: 3000, width: 320, hasAudioStream: true });
  expect(source.reads()).toBeLessThan(20);
});
