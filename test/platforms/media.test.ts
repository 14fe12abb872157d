// Files of servers that name no size, have no ranges, or compress: read for networks that need bytes.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getMediaSize, openRange } from "../../lib/platforms/media.ts";
import { getFailure } from "../../lib/platforms/platform.ts";
import { file } from "./content.ts";
import { type MediaHost, startMediaHost } from "./media-host.ts";

const SIZE = 3_000_000;
let media: MediaHost;

beforeAll(async () => {
  media = await startMediaHost({ "clip.mp4": SIZE, "none.mp4": 0, "long.mp4": 101 * 1024 ** 2 });
});
afterAll(() => media.close());

const io = { fetchMedia: (url: string, init: RequestInit) => fetch(url, init) };
const read = async (url: string, first: number, last: number) =>
  new Uint8Array(await new Response(await openRange(io, url, { first, last, total: SIZE })).arrayBuffer());
const failureOf = (work: Promise<unknown>) => work.then(() => null, getFailure);

test.each(["", "?unsized", "?gzip"])("the size and the parts of a file with %j", async (how) => {
  const url = `${media.url("clip.mp4")}${how}`;
  expect(await getMediaSize(io, file(url))).toBe(SIZE);
  const parts = [
    await read(url, 0, 999_999),
    await read(url, 1_000_000, 2_000_000),
    await read(url, 2_000_001, SIZE - 1),
  ];
  expect(parts.map(({ length }) => length)).toEqual([1_000_000, 1_000_001, 999_999]);
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  expect(hash.digest("hex")).toBe(media.sha256("clip.mp4"));
  const whole = createHash("sha256").update(await read(url, 0, SIZE - 1));
  expect(whole.digest("hex")).toBe(media.sha256("clip.mp4"));
});

test("what has no bytes, more than can be counted, or another size, ends the delivery with a reason", async () => {
  const sizeOf = (name: string) => failureOf(getMediaSize(io, file(`${media.url(name)}?unsized`)));
  expect(await sizeOf("none.mp4")).toMatchObject({ class: "content", message: "The media URL returns an empty file." });
  expect(await sizeOf("long.mp4")).toMatchObject({
    class: "content",
    message: expect.stringMatching(/does not say how large .* more than 100 MiB. Upload the file instead/),
  });
  expect(await sizeOf("missing.mp4")).toMatchObject({ class: "content", code: "media_unreachable" });
  const changed = openRange(io, media.url("clip.mp4"), { first: 0, last: SIZE, total: SIZE + 1 });
  expect(await failureOf(changed)).toMatchObject({ code: "media_changed" });
});
