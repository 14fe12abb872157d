// Jobs of the driver for accounts of a real Bluesky server, and the media that they publish.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { v7 as newId } from "uuid";
import type { Content, Job, MediaFile } from "../../lib/platforms/platform.ts";
import type { NetworkConfig } from "../../lib/shared/platforms.ts";
import type { PdsAccount } from "./start-pds.ts";

const MEDIA = "https://media.example.test/";

/** A PNG of noise, which has about as many bytes as it has pixels. */
function createPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of grey.
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.concat(Array.from({ length: height }, () => Buffer.concat([Buffer.of(0), randomBytes(width)])));
  const chunk = (type: string, data: Buffer) => {
    const typed = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(typed));
    return Buffer.concat([length, typed, sum]);
  };
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export const media = {
  "photo.png": createPng(120, 80),
  "clip.mp4": readFileSync(join(import.meta.dirname, "../local/demo.mp4")),
  /** The most bytes that an image may have, and one more. */
  "largest.jpg": createJpeg(2_000_000),
  "too-large.jpg": createJpeg(2_000_001),
  "page.html":
    Buffer.from(`<meta property="og:title" content="A page"><meta property="og:description" content="Its words">
    <meta property="og:image" content="photo.png">`),
};

export const PAGE = `${MEDIA}page.html`;

/** The first bytes of a JPEG, which make the server see one. */
function createJpeg(size: number): Buffer {
  const bytes = randomBytes(size);
  Buffer.from("ffd8ffe000104a46494600010100000100010000", "hex").copy(bytes);
  return bytes;
}

export function file(name: keyof typeof media, known: Partial<MediaFile> = {}): MediaFile {
  return { url: MEDIA + name, mimeType: null, bytes: null, durationMs: null, width: null, height: null, ...known };
}

export function text(caption: string): Content {
  return { caption, media: null, musicUrl: null, settings: {} };
}

export function pictures(images: MediaFile[]): Content {
  return { ...text("Pictures"), media: { type: "slideshow", images } };
}

export function openJob(account: PdsAccount, network: NetworkConfig, content: Content): Job {
  return {
    deliveryId: newId(),
    content,
    connection: { accountId: "account", externalId: account.did, accessToken: account.accessToken },
    network,
    fetch: (input, init) => fetch(input, init),
    fetchMedia: async (url, init) => (url.startsWith(MEDIA) ? serve(url, init) : fetch(url, init)),
    now: () => new Date(),
  };
}

function serve(url: string, init: RequestInit): Response {
  const bytes = media[url.slice(MEDIA.length) as keyof typeof media];
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init.headers).get("range") ?? "") ?? [];
  if (!first || !last) {
    const type = url === PAGE ? "text/html" : "application/octet-stream";
    const headers = { "content-length": String(bytes.length), "content-type": type };
    return new Response(init.method === "HEAD" ? null : new Uint8Array(bytes), { headers });
  }
  const part = new Uint8Array(bytes.subarray(Number(first), Number(last) + 1));
  const headers = { "content-range": `bytes ${first}-${last}/${bytes.length}` };
  return new Response(part, { status: 206, headers });
}
