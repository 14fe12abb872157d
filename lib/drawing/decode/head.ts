// What a picture says of itself before its pixels: its kind, its size, and how the camera was held.
import { exifOrientation } from "../../media/exif.ts";
import { cutImage, damagedImage } from "../../media/image-facts.ts";
import { refuse } from "../../media/refusal.ts";
import { ascii, sniff } from "../../media/sniff.ts";
import type { Size } from "../settings.ts";

export type Kind = "image/jpeg" | "image/png" | "image/webp" | "image/gif";

export interface Head extends Size {
  kind: Kind;
  /** The EXIF value, 1 to 8; 1 is upright. */
  orientation: number;
}

type Facts = Omit<Head, "kind">;

const READERS: Record<Kind, (bytes: Uint8Array, view: DataView) => Facts | null> = {
  "image/jpeg": jpeg,
  "image/png": png,
  "image/webp": webp,
  "image/gif": (bytes, view) =>
    bytes.length < 13 ? null : { width: view.getUint16(6, true), height: view.getUint16(8, true), orientation: 1 },
};

/** Throws a refusal when the bytes are no picture that can be drawn. */
export function headOf(bytes: Uint8Array): Head {
  if (bytes.length === 0) throw refuse("empty", "The image is empty.");
  const kind = sniff(bytes.subarray(0, 4096));
  if (!isKind(kind)) {
    const told = kind ? `It is ${kind.includes("/") ? `of type ${kind}` : kind}.` : "It is of no known type.";
    throw refuse("unsupported_type", `JPEG, PNG, WebP and GIF images can be drawn, and this is none of them. ${told}`);
  }
  const facts = read(kind, bytes);
  if (!facts) throw cutImage();
  if (facts.width < 1 || facts.height < 1) throw damagedImage();
  return { kind, ...facts };
}

function isKind(kind: string | null): kind is Kind {
  return kind !== null && Object.hasOwn(READERS, kind);
}

function read(kind: Kind, bytes: Uint8Array): Facts | null {
  try {
    return READERS[kind](bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    // The readers look past the end of what is there only where a length lies.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function jpeg(bytes: Uint8Array, view: DataView): Facts | null {
  let orientation = 1;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) throw damagedImage();
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = view.getUint16(at + 2);
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7), orientation };
    if (marker === 0xda || marker === 0xd9 || length < 2) throw damagedImage();
    if (marker === 0xe1 && ascii(bytes, at + 4, 6) === "Exif\0\0") {
      orientation = exifOrientation(bytes.subarray(at + 10, at + 2 + length));
    }
    at += 2 + length;
  }
  return null;
}

function png(bytes: Uint8Array, view: DataView): Facts | null {
  const facts = { width: view.getUint32(16), height: view.getUint32(20), orientation: 1 };
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = ascii(bytes, at + 4, 4);
    if (name === "eXIf") facts.orientation = exifOrientation(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return facts;
}

function webp(bytes: Uint8Array, view: DataView): Facts | null {
  let size: Size | null = null;
  let orientation = 1;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = ascii(bytes, at, 4);
    const length = view.getUint32(at + 4, true);
    if (!size) size = webpSize(name, view, at + 8);
    if (name === "EXIF") {
      const content = bytes.subarray(at + 8, at + 8 + length);
      orientation = exifOrientation(ascii(content, 0, 4) === "Exif" ? content.subarray(6) : content);
    }
    at += 8 + length + (length % 2);
  }
  return size ? { ...size, orientation } : null;
}

/** Of the canvas, or of the one picture that there is. */
function webpSize(name: string, view: DataView, at: number): Size | null {
  if (name === "VP8X") {
    return { width: (view.getUint32(at + 4, true) & 0xffffff) + 1, height: (view.getUint32(at + 6, true) >>> 8) + 1 };
  }
  if (name === "VP8L") {
    const bits = view.getUint32(at + 1, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (name !== "VP8 ") return null;
  return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff };
}
