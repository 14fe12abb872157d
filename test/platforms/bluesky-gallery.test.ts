// Bluesky galleries: more than four images, each with its ratio.
import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { readDimensions } from "../../lib/platforms/bluesky/dimensions.ts";
import { bluesky } from "../../lib/platforms/bluesky/driver.ts";
import type { Content, MediaFile } from "../../lib/platforms/platform.ts";
import { expectFailure, publishToEnd } from "./publish-to-end.ts";
import { useTestNetwork } from "./test-network.ts";

const setup = useTestNetwork(bluesky, { "a.jpg": 4_000 });

function file(sides: Pick<MediaFile, "width" | "height">): MediaFile {
  return { url: setup.media.url("a.jpg"), mimeType: null, bytes: null, durationMs: null, ...sides };
}

function pictures(count: number, sides: Pick<MediaFile, "width" | "height">): Content {
  const images = Array.from({ length: count }, () => file(sides));
  return { caption: "Pictures", media: { type: "slideshow", images }, musicUrl: null, settings: {} };
}

test("up to four images are an images embed, five to ten a gallery with the ratio of each image", async () => {
  for (const count of [4, 5, 10]) {
    const job = setup.job(pictures(count, { width: 1200, height: 800 }));
    await publishToEnd(bluesky, { ...job, deliveryId: `pictures-${count}` });
  }
  const published = setup.networks.published().bluesky ?? [];
  expect(published.map(({ kind, media }) => [kind, media.length])).toEqual([
    ["app.bsky.embed.images", 4],
    ["app.bsky.embed.gallery", 5],
    ["app.bsky.embed.gallery", 10],
  ]);
  const embed = (published[2]?.settings.embed ?? {}) as { items?: unknown[] };
  expect(embed.items?.[9]).toMatchObject({ alt: "", aspectRatio: { width: 1200, height: 800 } });
});

test("a gallery of files whose width and height cannot be read is rejected as content", async () => {
  const job = setup.job(pictures(5, { width: null, height: null }));
  expect(await expectFailure(bluesky.start(job))).toMatchObject({ class: "content", code: "image_unreadable" });
});

const PNG = "89504e470d0a1a0a0000000d4948445200000258000001900802000000";
const JPEG = "ffd8ffe000104a46494600010100000100010000ffc00011080190025803012200021101031101";
const LOSSY_WEBP = "52494646000000005745425056503820000000000000009d012a580290010000";
const LOSSLESS_WEBP = "5249464600000000574542505650384c000000002f57c26300";
const EXTENDED_WEBP = "524946460000000057454250565038580a000000000000005702008f0100";

test.each([
  ["a photo by a URL outside", PNG, { width: 600, height: 400 }],
  ["a file whose header says nothing", "00".repeat(40), undefined],
])("the aspect ratio of a single image: %s", async (name, hex, aspectRatio) => {
  const bytes = Buffer.from(hex, "hex");
  const headers = { "content-range": `bytes 0-${bytes.length - 1}/${bytes.length}` };
  const job = {
    ...setup.job(pictures(1, { width: null, height: null })),
    fetchMedia: async () => new Response(bytes, { status: 206, headers }),
  };
  await publishToEnd(bluesky, { ...job, deliveryId: name });
  const embed = setup.networks.published().bluesky?.at(-1)?.settings.embed as { images?: { aspectRatio?: object }[] };
  expect(embed.images?.[0]?.aspectRatio).toEqual(aspectRatio);
});

test.each([
  ["PNG", PNG],
  ["JPEG", JPEG],
  ["lossy WebP", LOSSY_WEBP],
  ["lossless WebP", LOSSLESS_WEBP],
  ["extended WebP", EXTENDED_WEBP],
])("width and height are read from the header of a %s file", async (_type, hex) => {
  const bytes = Buffer.from(hex, "hex");
  const job = {
    ...setup.job(pictures(1, { width: null, height: null })),
    fetchMedia: async () =>
      new Response(bytes, {
        status: 206,
        headers: { "content-range": `bytes 0-${bytes.length - 1}/${bytes.length}` },
      }),
  };
  const unknown = { ...file({ width: null, height: null }), bytes: bytes.length };
  expect(await readDimensions(job, unknown)).toEqual({ width: 600, height: 400 });
});
