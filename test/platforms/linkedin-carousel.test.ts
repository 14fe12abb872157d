// LinkedIn carousels: a PDF that contains the images unchanged.
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { buildDocument, type Page } from "../../lib/platforms/linkedin/document.ts";
import { linkedin } from "../../lib/platforms/linkedin/driver.ts";
import { readJpegHeader } from "../../lib/platforms/linkedin/jpeg.ts";
import type { Content, Job } from "../../lib/platforms/platform.ts";
import { isPdf } from "../../lib/simulator/networks/linkedin-protocol.ts";
import { expectFailure, publishToEnd } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const fixture = (name: string) => readFile(`${import.meta.dirname}/../media/fixtures/${name}`);

/** A JPEG header without image data. */
function head(segments: number[][]): Uint8Array {
  return Uint8Array.from([0xff, 0xd8, ...segments.flat()]);
}
const frame = (depth: number, components: number) => [
  ...[0xff, 0xc0, 0, 8 + components * 3, depth, 0x01, 0x02, 0x03, 0x04, components],
  ...Array(components * 3).fill(1),
];
const adobe = [0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 2];

describe("JPEG header", () => {
  test.each([
    [head([frame(8, 3)]), { width: 0x304, height: 0x102, orientation: 1, components: 3, inverted: false }],
    [head([[0xff], frame(8, 1)]), { components: 1 }],
    [head([adobe, frame(8, 4)]), { components: 4, inverted: true }],
    [head([frame(8, 4)]), { components: 4, inverted: false }],
  ])("has size and color components", (bytes, expected) => {
    expect(readJpegHeader(bytes)).toMatchObject(expected);
  });

  test.each([
    ["12 bits per component", head([frame(12, 3)])],
    ["two components", head([frame(8, 2)])],
    ["no frame", head([adobe])],
    ["a segment of negative length", head([[0xff, 0xe0, 0, 0], frame(8, 3)])],
    ["a file that is not a JPEG", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0])],
    ["nothing", new Uint8Array()],
  ])("is null for %s", (_name, bytes) => {
    expect(readJpegHeader(bytes)).toBeNull();
  });

  test("real files have size and orientation", async () => {
    for (const name of ["baseline.jpg", "progressive.jpg"]) {
      expect(readJpegHeader(await fixture(name))).toMatchObject({ orientation: 1, components: 3 });
    }
    expect(readJpegHeader(await fixture("rotated.jpg"))?.orientation).toBeGreaterThan(1);
  });
});

describe("carousel", () => {
  const FILES = ["baseline.jpg", "rotated.jpg", "progressive.jpg", "picture.png"];
  const files = new Map<string, Buffer>();
  const setup = useTestNetwork(linkedin, {});
  let sent: Buffer | null = null;
  beforeAll(async () => {
    for (const name of FILES) files.set(`http://files.example/${name}`, await fixture(name));
  });

  /** Serves the files by range and records what is uploaded to the network. */
  function carousel(names: string[], settings: Record<string, unknown>): Job {
    const images = names.map((name) => {
      const nothing = { mimeType: null, durationMs: null, width: null, height: null };
      return { url: `http://files.example/${name}`, bytes: null, ...nothing };
    });
    const content: Content = {
      caption: "\nFirst slide\nmore",
      media: { type: "slideshow", images },
      musicUrl: null,
      settings: { post_as_images_carousel: true, ...settings },
    };
    const job = setup.job(content);
    return {
      ...job,
      fetchMedia: async (url, init) => ranged(files.get(url) ?? Buffer.alloc(0), init),
      fetch: async (input, init) => {
        if (!(init?.body instanceof ReadableStream)) return job.fetch(input, init);
        const [kept, body] = init.body.tee();
        const [answer, bytes] = await Promise.all([job.fetch(input, { ...init, body }), new Response(kept).bytes()]);
        sent = Buffer.from(bytes);
        return answer;
      },
    };
  }

  function ranged(file: Buffer, init: RequestInit | undefined): Response {
    const range = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get("range") ?? "");
    if (!range) return new Response(null, { headers: { "content-length": String(file.length) } });
    const [first = 0, last = 0] = range.slice(1).map(Number);
    const headers = { "content-range": `bytes ${first}-${last}/${file.length}` };
    return new Response(new Uint8Array(file.subarray(first, last + 1)), { status: 206, headers });
  }

  test("is published as one named document with every image unchanged and in order", async () => {
    const names = ["baseline.jpg", "rotated.jpg", "progressive.jpg"];
    const answer = await publishToEnd(linkedin, carousel(names, { carousel_name: "Three views" }));
    const item = setup.networks.published().linkedin?.[0];
    expect(item).toMatchObject({ id: answer.platformPostId, kind: "document", title: "Three views" });
    expect(item?.media[0]?.bytes).toBe(sent?.length);
    let from = 0;
    for (const name of names) {
      from = sent?.indexOf(await fixture(name), from) ?? -1;
      expect(from).toBeGreaterThan(0);
    }
  });

  test("is named by the first line of the caption", async () => {
    await publishToEnd(linkedin, carousel(["baseline.jpg"], {}));
    expect(setup.networks.published().linkedin?.at(-1)).toMatchObject({ kind: "document", title: "First slide" });
  });

  test("with other types than JPEG is a content failure before anything is created", async () => {
    const before = setup.networks.log().length;
    const failed = await expectFailure(linkedin.start(carousel(["baseline.jpg", "picture.png"], {})));
    expect(failed).toMatchObject({ class: "content", code: "carousel_needs_jpeg" });
    expect(setup.networks.log()).toHaveLength(before);
  });
});

describe("carousel file", () => {
  const page = (more: Partial<Page>): Page => ({
    ...{ url: "u", bytes: 10, width: 400, height: 200, orientation: 1, components: 3, inverted: false },
    ...more,
  });
  const written = (pages: Page[]) =>
    buildDocument(pages)
      .pieces.map((piece) => (typeof piece === "string" ? piece : "x".repeat(piece.bytes)))
      .join("");

  test("has the announced size, and its table refers to its objects", () => {
    const pages = [page({}), page({ components: 1, bytes: 77 }), page({ components: 4, inverted: true })];
    const text = written(pages);
    expect(text).toHaveLength(buildDocument(pages).size);
    expect(isPdf(Buffer.from(text))).toBe(true);
    expect(isPdf(Buffer.from(text.replace("%PDF-1.4", "%PDF-1.4 ")))).toBe(false);
    expect(text.match(/\/Device\w+/g)).toEqual(["/DeviceRGB", "/DeviceGray", "/DeviceCMYK"]);
    expect(text.match(/\/Decode /g)).toHaveLength(1);
  });

  test.each([
    [1, "[0 0 1080 540]", "1080 0 0 540 0 0"],
    [2, "[0 0 1080 540]", "-1080 0 0 540 1080 0"],
    [3, "[0 0 1080 540]", "-1080 0 0 -540 1080 540"],
    [4, "[0 0 1080 540]", "1080 0 0 -540 0 540"],
    [5, "[0 0 540 1080]", "0 -1080 -540 0 540 1080"],
    [6, "[0 0 540 1080]", "0 -1080 540 0 0 1080"],
    [7, "[0 0 540 1080]", "0 1080 540 0 0 0"],
    [8, "[0 0 540 1080]", "0 1080 -540 0 540 0"],
  ])("an image of orientation %i is upright on its page", (orientation, box, turn) => {
    const text = written([page({ orientation })]);
    expect(text).toContain(`/MediaBox ${box}`);
    expect(text).toContain(`q ${turn} cm /I Do Q`);
  });

  test("is at most 100 MB", async () => {
    const room = 100_000_000 - (buildDocument([page({ bytes: 10_000_000 })]).size - 10_000_000);
    const overhead = String(room).length - String(10_000_000).length;
    expect(buildDocument([page({ bytes: room - overhead })]).size).toBe(100_000_000);
    const failed = await expectFailure((async () => buildDocument([page({ bytes: room - overhead + 1 })]))());
    expect(failed).toMatchObject({ class: "content", code: "carousel_too_large" });
  });
});
