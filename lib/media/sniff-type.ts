// Detects the type of a file from its first bytes, so that error messages can name it.
import { findMediaType } from "../shared/media-types.ts";

const MAGIC: [number, number[] | string, string][] = [
  [0, [0xff, 0xd8, 0xff], "image/jpeg"],
  [0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"],
  [0, "GIF87a", "image/gif"],
  [0, "GIF89a", "image/gif"],
  [8, "WEBP", "image/webp"],
  [8, "AVI ", "an AVI video"],
  [8, "WAVE", "a WAV recording"],
  [0, [0x1a, 0x45, 0xdf, 0xa3], "matroska"],
  [0, "BM", "a BMP image"],
  [0, "%PDF", "a PDF document"],
  [0, "PK\u0003\u0004", "a ZIP archive"],
  [0, [0x1f, 0x8b], "a gzip archive"],
  [0, "OggS", "an Ogg file"],
  [0, "fLaC", "a FLAC recording"],
  [0, "ID3", "an MP3 recording"],
  [0, "FLV", "a Flash video"],
  [0, [0x30, 0x26, 0xb2, 0x75], "a Windows Media file"],
  [0, [0, 0, 1, 0xba], "an MPEG program stream"],
  [0, "II*\u0000", "a TIFF image"],
  [0, "MM\u0000*", "a TIFF image"],
  [0, "II+\u0000", "a TIFF image"],
  [0, "MM\u0000+", "a TIFF image"],
  [0, "8BPS", "a Photoshop image"],
  [0, [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a], "a JPEG XL image"],
];

/** Kinds of files that begin with 255 and one of these bytes, as other data may by chance. */
const AFTER_255: [number[], string][] = [
  [[0x0a], "a JPEG XL image"],
  [[0xe2, 0xe3, 0xf2, 0xf3, 0xfa, 0xfb], "an MP3 recording"],
  [[0xf0, 0xf1, 0xf8, 0xf9], "an AAC recording"],
];

const IMAGE_BRANDS: Record<string, string> = {
  heic: "a HEIC image",
  heix: "a HEIC image",
  heim: "a HEIC image",
  heis: "a HEIC image",
  hevc: "a HEIC image",
  hevx: "a HEIC image",
  hevm: "a HEIC image",
  hevs: "a HEIC image",
  avci: "a HEIF image",
  avcs: "a HEIF image",
  mif1: "a HEIF image",
  msf1: "a HEIF image",
  avif: "an AVIF image",
  avis: "an AVIF image",
  "jxl ": "a JPEG XL image",
  "crx ": "a Canon RAW image",
};

/** Boxes without content, which may stand before any other. */
const EMPTY_BOXES = ["free", "skip", "wide"];
/** QuickTime files from before the ftyp box begin with one of these. */
const BARE_QUICKTIME = ["moov", "mdat", "pnot", ...EMPTY_BOXES];

/** A supported MIME type, a description such as "a PDF document", or null when the type is unknown. */
export function sniffType(head: Uint8Array): string | null {
  const box = sniffBoxFile(head);
  if (box) return box;
  const magic = MAGIC.find(([offset, bytes]) => hasBytesAt(head, offset, bytes));
  if (magic && magic[2] !== "matroska") return magic[2];
  if (magic) return sniffMatroska(head);
  if (head.length > 188 * 2 && [0, 188, 376].every((at) => head[at] === 0x47)) return "an MPEG transport stream";
  if (head.length >= 8 && head.subarray(0, 64).every((byte) => byte === 0)) return "nothing but zero bytes";
  return sniffShortSignature(head) ?? (isText(head) ? sniffText(head) : null);
}

/** Names a file by its first two bytes. Other data may begin with them by chance. */
export function sniffShortSignature(head: Uint8Array): string | null {
  const [first = 0, second = 0] = head;
  return first === 0xff ? (AFTER_255.find(([bytes]) => bytes.includes(second))?.[1] ?? null) : null;
}

/** The MIME types of what cannot be uploaded but is often served under the name of something else. */
const FOREIGN_TYPES: Record<string, string> = {
  "a HEIC image": "image/heic",
  "a HEIF image": "image/heif",
  "an AVIF image": "image/avif",
  "a BMP image": "image/bmp",
  "a TIFF image": "image/tiff",
  "a JPEG XL image": "image/jxl",
  "a Photoshop image": "image/vnd.adobe.photoshop",
  "a Canon RAW image": "image/x-canon-cr3",
  "an AVI video": "video/x-msvideo",
  "a Matroska video": "video/x-matroska",
  "a web page": "text/html",
  "a PDF document": "application/pdf",
};

/** The MIME type of a file by its first bytes; null when they do not tell it. */
export function sniffMimeType(head: Uint8Array): string | null {
  const kind = sniffType(head) ?? "";
  return findMediaType(kind) ?? FOREIGN_TYPES[kind] ?? null;
}

function sniffBoxFile(head: Uint8Array): string | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  let at = 0;
  while (EMPTY_BOXES.includes(readAscii(head, at + 4, 4)) && view.getUint32(at) >= 8) at += view.getUint32(at);
  if (readAscii(head, at + 4, 4) === "ftyp") {
    const brand = readAscii(head, at + 8, 4);
    return IMAGE_BRANDS[brand] ?? (brand === "qt  " ? "video/quicktime" : "video/mp4");
  }
  return BARE_QUICKTIME.includes(readAscii(head, 4, 4)) ? "video/quicktime" : null;
}

function sniffMatroska(head: Uint8Array): string {
  const text = readAscii(head, 0, Math.min(head.length, 96));
  return text.includes("\u0042\u0082") && text.includes("webm") ? "video/webm" : "a Matroska video";
}

/** UTF-8 without control characters; the last character may be cut. */
function isText(head: Uint8Array): boolean {
  if (head.length === 0) return false;
  const sample = head.subarray(0, 512);
  if (sample.some((byte) => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function sniffText(head: Uint8Array): string {
  const start = readAscii(head, 0, 64).trimStart().toLowerCase();
  if (start.startsWith("<!doctype html") || start.startsWith("<html")) return "a web page";
  if (start.startsWith("<svg") || start.startsWith("<?xml")) return "an XML document";
  return "plain text";
}

export function readAscii(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length));
}

function hasBytesAt(head: Uint8Array, offset: number, bytes: number[] | string): boolean {
  const wanted = typeof bytes === "string" ? [...bytes].map((char) => char.charCodeAt(0)) : bytes;
  return wanted.every((byte, i) => head[offset + i] === byte);
}
