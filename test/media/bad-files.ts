// Invalid files: truncated, blanked, of another type, polyglots, and files that are expensive to check.
import { readFile } from "node:fs/promises";
import { join as joinPath } from "node:path";
import type { GoodFile } from "./corpus.ts";
import {
  buildHugeTextPng,
  buildHugeVideo,
  buildManyFrameGif,
  buildManySampleVideo,
  buildManyScanJpeg,
  buildZip,
  encodeAscii,
} from "./crafted-files.ts";
import { runCommand, type Tools } from "./media-tools.ts";
import { buildGradientRows, buildPng } from "./png-writer.ts";
import { buildBox, concatBytes } from "./sources.ts";

export interface BadFile {
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

const TEXT = new TextEncoder().encode("Dear customer, please find the video attached. ".repeat(40));
const HTML = new TextEncoder().encode("<!doctype html><html><script>alert(1)</script></html>");

/** One file of each kind to damage. */
const SAMPLES = [
  "moov-first.mp4",
  "moov-last.mp4",
  "fragmented.mp4",
  "clip.mov",
  "vp9.webm",
  "baseline.jpg",
  "progressive.jpg",
  "true-colour.png",
  "lossy.webp",
  "lossless.webp",
  "moving.webp",
  "still.gif",
  "moving.gif",
];

export async function buildBadFiles(tools: Tools, folder: string, good: GoodFile[]): Promise<BadFile[]> {
  const samples = good.filter(({ name }) => SAMPLES.includes(name));
  const of = (name: string) => good.find((file) => file.name === name) ?? throwMissing(name);
  return [
    ...samples.flatMap(damageFile),
    ...(await createAudioOnlyFiles(tools, folder)),
    ...mislabelFiles(of),
    ...buildPolyglots(of),
    ...buildBombs(of),
    ...buildEndlessFiles(of),
  ];
}

function throwMissing(name: string): never {
  throw new Error(`the corpus has no ${name}`);
}

function damageFile({ name, contentType, bytes }: GoodFile): BadFile[] {
  const truncate = (share: number) => bytes.slice(0, Math.max(1, Math.floor(bytes.length * share)));
  const blanked = bytes.slice();
  blanked.fill(0, Math.floor(bytes.length * 0.45), Math.floor(bytes.length * 0.55));
  // Lossless WebP has no checksum, and zeros are valid pixels.
  const detectable = name !== "lossless.webp";
  return [
    { name: `${name} truncated to 1 %`, contentType, bytes: truncate(0.01) },
    { name: `${name} truncated to 50 %`, contentType, bytes: truncate(0.5) },
    { name: `${name} truncated to 99 %`, contentType, bytes: truncate(0.99) },
    { name: `${name} without its last byte`, contentType, bytes: bytes.slice(0, -1) },
    ...(detectable ? [{ name: `${name} with a blank middle`, contentType, bytes: blanked }] : []),
  ];
}

async function createAudioOnlyFiles({ ffmpeg }: Tools, folder: string): Promise<BadFile[]> {
  const kinds = [
    ["audio.mp4", "video/mp4", "aac"],
    ["audio.mov", "video/quicktime", "aac"],
    ["audio.webm", "video/webm", "libopus"],
  ] as const;
  return Promise.all(
    kinds.map(async ([name, contentType, codec]) => {
      const path = joinPath(folder, name);
      const args = ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=440", "-t", "1", "-c:a", codec, path];
      await runCommand(ffmpeg, args);
      return { name, contentType, bytes: new Uint8Array(await readFile(path)) };
    }),
  );
}

type GetFile = (name: string) => GoodFile;

const TYPES = [
  ...["video/mp4", "video/quicktime", "video/webm"],
  ...["image/jpeg", "image/png", "image/webp", "image/gif"],
];
const getKind = (type: string) => type.split("/")[0];

/** Good files under each other type of their kind: the bytes decide. */
export function listWrongTypes(good: GoodFile[]): { file: GoodFile; declared: string }[] {
  const names = ["clip.mov", "vp9.webm", "baseline.jpg", "true-colour.png", "moving.gif"];
  return good
    .filter(({ name }) => names.includes(name))
    .flatMap((file) =>
      TYPES.filter((type) => type !== file.contentType && getKind(type) === getKind(file.contentType)).map(
        (declared) => ({ file, declared }),
      ),
    );
}

/** A video is no image, whatever else its type is. */
function mislabelFiles(of: GetFile): BadFile[] {
  const archive = buildZip("video.mp4", of("moov-first.mp4").bytes.slice(0, 5000));
  const others = [of("clip.mov"), of("vp9.webm"), of("baseline.jpg"), of("true-colour.png"), of("moving.gif")];
  return [
    ...TYPES.flatMap((contentType) => [
      { name: `text as ${contentType}`, contentType, bytes: TEXT },
      { name: `an archive as ${contentType}`, contentType, bytes: archive },
      { name: `nothing as ${contentType}`, contentType, bytes: new Uint8Array(0) },
      { name: `zeros as ${contentType}`, contentType, bytes: new Uint8Array(50_000) },
    ]),
    ...others.flatMap(({ name, contentType, bytes }) =>
      TYPES.filter((type) => getKind(type) !== getKind(contentType)).map((declared) => ({
        name: `${name} as ${declared}`,
        contentType: declared,
        bytes,
      })),
    ),
  ];
}

function buildPolyglots(of: GetFile): BadFile[] {
  const archive = buildZip("hello.txt", TEXT);
  const append = (name: string, what: string, tail: Uint8Array): BadFile => ({
    name: `${what} after ${name}`,
    contentType: of(name).contentType,
    bytes: concatBytes(of(name).bytes, tail),
  });
  const hosts = ["moov-first.mp4", "fragmented.mp4", "clip.mov", "vp9.webm", "baseline.jpg", "true-colour.png"];
  const jpeg = of("baseline.jpg").bytes;
  const pdf = new TextEncoder().encode("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n");
  return [
    ...[...hosts, "lossy.webp", "moving.gif"].flatMap((name) => [
      append(name, "an archive", archive),
      append(name, "a web page", HTML),
    ]),
    append("baseline.jpg", "a video", of("moov-first.mp4").bytes),
    append("moov-first.mp4", "an image", of("true-colour.png").bytes),
    append("moov-first.mp4", "a box with an archive", buildBox("free", archive)),
    {
      name: "a script that begins like a gif",
      contentType: "image/gif",
      bytes: encodeAscii("GIF89a/*....*/=alert(1);//".repeat(9)),
    },
    {
      name: "a document in the comment of a jpeg",
      contentType: "image/jpeg",
      bytes: concatBytes(jpeg.subarray(0, 2), new Uint8Array([0xff, 0xfe, 0, pdf.length + 2]), pdf, jpeg.subarray(2)),
    },
    { name: "an image that begins like a video", contentType: "video/mp4", bytes: concatBytes(FTYP, jpeg) },
  ];
}

/** Files that declare huge sizes, or inflate to them. */
function buildBombs(of: GetFile): BadFile[] {
  const { contentType: jpegType, bytes: jpeg } = of("baseline.jpg");
  const hugeJpeg = jpeg.slice();
  hugeJpeg.set([0xfd, 0xe8, 0xfd, 0xe8], Buffer.from(jpeg).indexOf(Buffer.from([0xff, 0xc0])) + 5);
  const hugeGif = of("still.gif").bytes.slice();
  hugeGif.set([0xff, 0xff, 0xff, 0xff], 6);
  const hugeWebp = of("lossless.webp").bytes.slice();
  hugeWebp.set([0xff, 0xff, 0xff, 0x0f], 21);
  const blank = new Uint8Array(96 * 1024 * 1024);
  return [
    { name: "a jpeg of 65,000 x 65,000", contentType: jpegType, bytes: hugeJpeg },
    { name: "a jpeg with thousands of scans", contentType: jpegType, bytes: buildManyScanJpeg() },
    { name: "a gif of 65,535 x 65,535", contentType: "image/gif", bytes: hugeGif },
    { name: "a gif of a thousand empty frames", contentType: "image/gif", bytes: buildManyFrameGif(1000, 4000) },
    { name: "a webp of 16,384 x 16,384", contentType: "image/webp", bytes: hugeWebp },
    {
      name: "a png of 50,000 x 50,000",
      contentType: "image/png",
      bytes: buildPng(50_000, 50_000, new Uint8Array(1000)),
    },
    { name: "a png that inflates to 96 MiB", contentType: "image/png", bytes: buildPng(10, 10, blank) },
    {
      name: "a png of 8,000 x 12,000 with one row",
      contentType: "image/png",
      bytes: buildPng(8000, 12_000, buildGradientRows(8000, 1)),
    },
    { name: "a png whose text inflates", contentType: "image/png", bytes: buildHugeTextPng() },
    { name: "an mp4 of 65,535 x 65,535", contentType: "video/mp4", bytes: buildHugeVideo(of("moov-first.mp4").bytes) },
    {
      name: "an mp4 that lists four billion samples",
      contentType: "video/mp4",
      bytes: buildManySampleVideo(of("moov-first.mp4").bytes),
    },
  ];
}

const FTYP = buildBox("ftyp", encodeAscii("isom\0\0\x02\0isomiso2avc1mp41"));

/** Boxes and elements that never end, or contain themselves. */
function buildEndlessFiles(of: GetFile): BadFile[] {
  const mp4 = (name: string, ...parts: Uint8Array[]): BadFile => ({
    name,
    contentType: "video/mp4",
    bytes: concatBytes(FTYP, ...parts),
  });
  const zero = buildBox("free", new Uint8Array(8));
  new DataView(zero.buffer).setUint32(0, 0);
  const tiny = new Uint8Array(800_000);
  for (let at = 0; at < tiny.length; at += 8) tiny.set([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65], at);
  let nested = buildBox("mvhd", new Uint8Array(100));
  for (let depth = 0; depth < 5000; depth++) nested = buildBox("trak", nested);
  // Each declares that it reaches the end of the file, so the first contains all others.
  const inside = new Uint8Array(80_000);
  const view = new DataView(inside.buffer);
  for (let at = 0; at < inside.length; at += 8) {
    view.setUint32(at, inside.length - at);
    inside.set(encodeAscii("trak"), at + 4);
  }
  const webm = of("vp9.webm").bytes;
  const voids = new Uint8Array(3_000_000);
  for (let at = 0; at < voids.length; at += 2) voids.set([0xec, 0x80], at);
  const segment = new Uint8Array([0x18, 0x53, 0x80, 0x67, 1, 255, 255, 255, 255, 255, 255, 255]);
  const head = webm.slice(0, 5 + (webm[4] === 0x9f ? 0x1f : 0));
  return [
    mp4("a box of size zero", zero, new Uint8Array(1000)),
    mp4("a hundred thousand boxes of eight bytes", tiny),
    mp4("boxes nested five thousand deep", buildBox("moov", nested)),
    mp4("boxes that each contain all following ones", buildBox("moov", inside)),
    mp4(
      "a box that contains itself",
      buildBox("moov", buildBox("trak", new Uint8Array([0, 0, 0, 16, ...encodeAscii("mdia"), ...ZEROS]))),
    ),
    { name: "a webm of empty elements", contentType: "video/webm", bytes: concatBytes(head, segment, voids) },
  ];
}

const ZEROS = new Uint8Array(200);
