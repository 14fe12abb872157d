// Files that are not what they are declared to be: cut, blanked, of another kind, two at once, or made to cost work.
import { readFile } from "node:fs/promises";
import { join as joinPath } from "node:path";
import { crc32 } from "node:zlib";
import type { GoodFile } from "./corpus.ts";
import { gradient, png, pngChunk } from "./png.ts";
import { box, join } from "./sources.ts";
import { run, type Tools } from "./tools.ts";

export interface BadFile {
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

const TEXT = new TextEncoder().encode("Dear customer, please find the video attached. ".repeat(40));
const HTML = new TextEncoder().encode("<!doctype html><html><script>alert(1)</script></html>");

/** One of each kind of file, which the damage is done to. */
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

export async function badFiles(tools: Tools, folder: string, good: GoodFile[]): Promise<BadFile[]> {
  const samples = good.filter(({ name }) => SAMPLES.includes(name));
  const of = (name: string) => good.find((file) => file.name === name) ?? fail(name);
  return [
    ...samples.flatMap(damaged),
    ...(await soundOnly(tools, folder)),
    ...renamed(of),
    ...polyglots(of),
    ...bombs(of),
    ...endless(of),
  ];
}

function fail(name: string): never {
  throw new Error(`the corpus has no ${name}`);
}

function damaged({ name, contentType, bytes }: GoodFile): BadFile[] {
  const cut = (share: number) => bytes.slice(0, Math.max(1, Math.floor(bytes.length * share)));
  const blanked = bytes.slice();
  blanked.fill(0, Math.floor(bytes.length * 0.45), Math.floor(bytes.length * 0.55));
  // Lossless WebP has no checksum, and zeros in it are pixels.
  const shows = name !== "lossless.webp";
  return [
    { name: `${name} cut at 1 %`, contentType, bytes: cut(0.01) },
    { name: `${name} cut at 50 %`, contentType, bytes: cut(0.5) },
    { name: `${name} cut at 99 %`, contentType, bytes: cut(0.99) },
    { name: `${name} without its last byte`, contentType, bytes: bytes.slice(0, -1) },
    ...(shows ? [{ name: `${name} with a blank middle`, contentType, bytes: blanked }] : []),
  ];
}

async function soundOnly({ ffmpeg }: Tools, folder: string): Promise<BadFile[]> {
  const kinds = [
    ["sound.mp4", "video/mp4", "aac"],
    ["sound.mov", "video/quicktime", "aac"],
    ["sound.webm", "video/webm", "libopus"],
  ] as const;
  return Promise.all(
    kinds.map(async ([name, contentType, codec]) => {
      const path = joinPath(folder, name);
      const args = ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=440", "-t", "1", "-c:a", codec, path];
      await run(ffmpeg, args);
      return { name, contentType, bytes: new Uint8Array(await readFile(path)) };
    }),
  );
}

type Of = (name: string) => GoodFile;

function renamed(of: Of): BadFile[] {
  const types = [
    "video/mp4",
    "video/quicktime",
    "video/webm",
    "image/jpeg",
    "image/png",
    "image/webp",
    "image/gif",
  ] as const;
  const archive = zip("video.mp4", of("moov-first.mp4").bytes.slice(0, 5000));
  const others = [of("clip.mov"), of("vp9.webm"), of("baseline.jpg"), of("true-colour.png"), of("moving.gif")];
  return [
    ...types.flatMap((contentType) => [
      { name: `text as ${contentType}`, contentType, bytes: TEXT },
      { name: `an archive as ${contentType}`, contentType, bytes: archive },
      { name: `nothing as ${contentType}`, contentType, bytes: new Uint8Array(0) },
      { name: `zeros as ${contentType}`, contentType, bytes: new Uint8Array(50_000) },
    ]),
    ...others.flatMap(({ name, contentType, bytes }) =>
      types
        .filter((type) => type !== contentType)
        .map((declared) => ({ name: `${name} as ${declared}`, contentType: declared, bytes })),
    ),
  ];
}

function polyglots(of: Of): BadFile[] {
  const archive = zip("hello.txt", TEXT);
  const behind = (name: string, what: string, tail: Uint8Array): BadFile => ({
    name: `${what} behind ${name}`,
    contentType: of(name).contentType,
    bytes: join(of(name).bytes, tail),
  });
  const hosts = ["moov-first.mp4", "fragmented.mp4", "clip.mov", "vp9.webm", "baseline.jpg", "true-colour.png"];
  const jpeg = of("baseline.jpg").bytes;
  const pdf = new TextEncoder().encode("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n");
  return [
    ...[...hosts, "lossy.webp", "moving.gif"].flatMap((name) => [
      behind(name, "an archive", archive),
      behind(name, "a web page", HTML),
    ]),
    behind("baseline.jpg", "a video", of("moov-first.mp4").bytes),
    behind("moov-first.mp4", "a picture", of("true-colour.png").bytes),
    behind("moov-first.mp4", "a box with an archive", box("free", archive)),
    {
      name: "a script that begins like a gif",
      contentType: "image/gif",
      bytes: ascii("GIF89a/*....*/=alert(1);//".repeat(9)),
    },
    {
      name: "a document in the comment of a jpeg",
      contentType: "image/jpeg",
      bytes: join(jpeg.subarray(0, 2), new Uint8Array([0xff, 0xfe, 0, pdf.length + 2]), pdf, jpeg.subarray(2)),
    },
    { name: "a picture that begins like a video", contentType: "video/mp4", bytes: join(FTYP, jpeg) },
  ];
}

/** Claims of huge sizes, and data that grows to them. */
function bombs(of: Of): BadFile[] {
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
    { name: "a jpeg that is gone through thousands of times", contentType: jpegType, bytes: tireless() },
    { name: "a gif of 65,535 x 65,535", contentType: "image/gif", bytes: hugeGif },
    { name: "a gif of a thousand empty frames", contentType: "image/gif", bytes: manyFrames(1000, 4000) },
    { name: "a webp of 16,384 x 16,384", contentType: "image/webp", bytes: hugeWebp },
    { name: "a png of 50,000 x 50,000", contentType: "image/png", bytes: png(50_000, 50_000, new Uint8Array(1000)) },
    { name: "a png that inflates to 96 MiB", contentType: "image/png", bytes: png(10, 10, blank) },
    {
      name: "a png of 8,000 x 12,000 with one row",
      contentType: "image/png",
      bytes: png(8000, 12_000, gradient(8000, 1)),
    },
    { name: "a png whose text inflates", contentType: "image/png", bytes: hugeText() },
    { name: "an mp4 of 65,535 x 65,535", contentType: "video/mp4", bytes: hugeVideo(of("moov-first.mp4").bytes) },
    {
      name: "an mp4 that lists four billion samples",
      contentType: "video/mp4",
      bytes: manySamples(of("moov-first.mp4").bytes),
    },
  ];
}

const FTYP = box("ftyp", ascii("isom\0\0\x02\0isomiso2avc1mp41"));

/** Boxes and elements that never end, or lie inside themselves. */
function endless(of: Of): BadFile[] {
  const mp4 = (name: string, ...parts: Uint8Array[]): BadFile => ({
    name,
    contentType: "video/mp4",
    bytes: join(FTYP, ...parts),
  });
  const zero = box("free", new Uint8Array(8));
  new DataView(zero.buffer).setUint32(0, 0);
  const tiny = new Uint8Array(800_000);
  for (let at = 0; at < tiny.length; at += 8) tiny.set([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65], at);
  let nested = box("mvhd", new Uint8Array(100));
  for (let depth = 0; depth < 5000; depth++) nested = box("trak", nested);
  // Each says that it reaches to the end of the file, so the first holds all others.
  const inside = new Uint8Array(80_000);
  const view = new DataView(inside.buffer);
  for (let at = 0; at < inside.length; at += 8) {
    view.setUint32(at, inside.length - at);
    inside.set(ascii("trak"), at + 4);
  }
  const webm = of("vp9.webm").bytes;
  const voids = new Uint8Array(3_000_000);
  for (let at = 0; at < voids.length; at += 2) voids.set([0xec, 0x80], at);
  const segment = new Uint8Array([0x18, 0x53, 0x80, 0x67, 1, 255, 255, 255, 255, 255, 255, 255]);
  const head = webm.slice(0, 5 + (webm[4] === 0x9f ? 0x1f : 0));
  return [
    mp4("a box of size zero", zero, new Uint8Array(1000)),
    mp4("a hundred thousand boxes of eight bytes", tiny),
    mp4("boxes nested five thousand deep", box("moov", nested)),
    mp4("boxes that each hold all that follows", box("moov", inside)),
    mp4(
      "a box that lies inside itself",
      box("moov", box("trak", new Uint8Array([0, 0, 0, 16, ...ascii("mdia"), ...ZEROS]))),
    ),
    { name: "a webm of empty elements", contentType: "video/webm", bytes: join(head, segment, voids) },
  ];
}

const ZEROS = new Uint8Array(200);

function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** The whole archive that a reader would find from its end. */
function zip(name: string, content: Uint8Array): Uint8Array {
  const label = ascii(name);
  const entry = (directory: boolean) => {
    const head = new DataView(new ArrayBuffer(directory ? 46 : 30));
    const at = directory ? 16 : 14;
    head.setUint32(0, directory ? 0x504b0102 : 0x504b0304);
    head.setUint32(at, crc32(content), true);
    head.setUint32(at + 4, content.length, true);
    head.setUint32(at + 8, content.length, true);
    head.setUint16(at + 12, label.length, true);
    return join(new Uint8Array(head.buffer), label);
  };
  const [local, central] = [join(entry(false), content), entry(true)];
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x504b0506);
  end.setUint16(8, 1, true);
  end.setUint16(10, 1, true);
  end.setUint32(12, central.length, true);
  end.setUint32(16, local.length, true);
  return join(local, central, new Uint8Array(end.buffer));
}

/** A progressive picture of 8,192 x 8,192 without content, gone through once for every few bytes. */
function tireless(): Uint8Array {
  const segment = (marker: number, ...content: number[]) =>
    new Uint8Array([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 255, ...content]);
  const quantizers = segment(0xdb, 0, ...Array<number>(64).fill(1));
  const frame = segment(0xc2, 8, 0x20, 0, 0x20, 0, 1, 1, 0x11, 0);
  // One code of one bit each: no difference for DC, and for AC a run of 32,767 blocks with nothing in them.
  const dc = segment(0xc4, 0x00, 1, ...Array<number>(15).fill(0), 0);
  const ac = segment(0xc4, 0x10, 1, ...Array<number>(15).fill(0), 0xe0);
  const blocks = 1024 * 1024;
  const first = join(segment(0xda, 1, 1, 0, 0, 0, 0), new Uint8Array(blocks / 8));
  const runs = Math.floor(blocks / 32_767);
  const bits = `${`0${"1".repeat(14)}`.repeat(runs)}0${(blocks - runs * 32_767 - 16_384).toString(2).padStart(14, "0")}`;
  const coded: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    const byte = Number.parseInt(bits.slice(at, at + 8).padEnd(8, "1"), 2);
    coded.push(byte, ...(byte === 0xff ? [0] : []));
  }
  const again = join(segment(0xda, 1, 1, 0, 1, 63, 0), new Uint8Array(coded));
  return join(
    new Uint8Array([0xff, 0xd8]),
    quantizers,
    frame,
    dc,
    ac,
    first,
    ...Array<Uint8Array>(20_000).fill(again),
    new Uint8Array([0xff, 0xd9]),
  );
}

/** Frames without data, each as large as the picture. */
function manyFrames(count: number, side: number): Uint8Array {
  const size = [side & 255, side >> 8, side & 255, side >> 8];
  const frame = new Uint8Array([0x2c, 0, 0, 0, 0, ...size, 0, 2, 1, 0x05, 0]);
  return join(
    ascii("GIF89a"),
    new Uint8Array([...size, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...Array<Uint8Array>(count).fill(frame),
    new Uint8Array([0x3b]),
  );
}

/** A compressed text chunk is not needed to show the picture; what must be refused is the picture, which has no data. */
function hugeText(): Uint8Array {
  const whole = png(10, 10, gradient(10, 10));
  const end = Buffer.from(whole).indexOf("IDAT") - 4;
  const text = pngChunk("zTXt", join(ascii("Comment\0\0"), new Uint8Array(100_000)));
  return join(whole.subarray(0, end), text, pngChunk("IEND", new Uint8Array(0)));
}

function hugeVideo(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const entry = Buffer.from(copy).indexOf("avc1", Buffer.from(copy).indexOf("stsd"));
  new DataView(copy.buffer).setUint32(entry + 4 + 24, 0xffffffff);
  return copy;
}

function manySamples(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  new DataView(copy.buffer).setUint32(Buffer.from(copy).indexOf("stsz") + 12, 0xffffffff);
  return copy;
}
