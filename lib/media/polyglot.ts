// Rejects polyglots: media files that other programs would open as a document, a script or an archive.

import { LIMITS } from "./limits.ts";
import type { MediaSource } from "./media-source.ts";
import { readAscii, sniffShortSignature, sniffType } from "./sniff-type.ts";
import { type VerificationError, verificationError } from "./verification-error.ts";

/** Programs look for these signatures anywhere in the first kilobyte. */
const HEAD_SIGNATURES: [RegExp, string][] = [
  [/%PDF-\d/, "a PDF document"],
  [/<(!doctype html|html|script|body|iframe)[\s>]/i, "a web page"],
  [/<\?php\s/i, "a PHP script"],
];

/** `end` is the byte offset at which the video ends according to its format. */
export async function checkVideoPolyglot(source: MediaSource, end: number, contentType: string): Promise<void> {
  const head = await source.read(0, Math.min(source.size, LIMITS.polyglotHead));
  const from = Math.max(0, source.size - LIMITS.polyglotTail);
  const last = await source.read(from, source.size - from);
  const rest = await source.read(end, Math.min(LIMITS.polyglotTail, source.size - end));
  const trailing = detectTrailingFile(rest);
  const found =
    detectInHead(head) ??
    (trailing !== contentType ? trailing : null) ??
    (endsWithZipDirectory(last) ? "a ZIP archive" : null);
  if (found) throw polyglotError(found);
}

/** The same for an image in memory, whose metadata may declare a second image or video after it. */
export function checkImagePolyglot(bytes: Uint8Array, end: number, contentType: string): void {
  const rest = bytes.subarray(end);
  const trailing = detectTrailingFile(rest);
  const found =
    detectInHead(bytes.subarray(0, LIMITS.polyglotHead)) ??
    (trailing && !isAnnounced(bytes, trailing, contentType) ? trailing : null) ??
    (endsWithZipDirectory(bytes.subarray(-LIMITS.polyglotTail)) ? "a ZIP archive" : null);
  if (found) throw polyglotError(found);
}

function polyglotError(found: string): VerificationError {
  return verificationError(
    "polyglot",
    `The file also contains ${found}. Remove everything that is not part of the image or video.`,
  );
}

function detectInHead(head: Uint8Array): string | null {
  const text = readAscii(head, 0, head.length);
  return HEAD_SIGNATURES.find(([signature]) => signature.test(text))?.[1] ?? null;
}

/** Null for padding and for proprietary camera data. */
function detectTrailingFile(rest: Uint8Array): string | null {
  const begin = rest.findIndex((byte) => byte !== 0);
  if (begin < 0) return null;
  // The zeros may belong to the second file: an MP4 box begins with its length.
  for (let at = Math.max(0, begin - 3); at <= begin; at++) {
    const kind = detectType(rest.subarray(at, at + 4096));
    if (kind) return kind;
  }
  return null;
}

function detectType(tail: Uint8Array): string | null {
  if (sniffShortSignature(tail)) return null;
  const kind = sniffType(tail);
  if (kind !== "plain text" && kind !== "a web page" && kind !== "an XML document") return kind;
  // A few bytes of binary data may be valid UTF-8; require ASCII here to avoid false positives.
  const letters = tail.every((byte) => byte < 0x7f && (byte >= 0x20 || byte === 9 || byte === 10 || byte === 13));
  return letters && readAscii(tail, 0, tail.length).trim().length > 7 ? kind : null;
}

/**
 * Phones append the depth map of a photo as a second image, and the video of a motion photo, as MP4 or QuickTime:
 * https://developer.android.com/media/platform/motion-photo-format, read 2026-11-29.
 */
function isAnnounced(bytes: Uint8Array, trailing: string, contentType: string): boolean {
  if (trailing === contentType) return true;
  const head = readAscii(bytes, 0, Math.min(bytes.length, 65_536));
  return (
    contentType === "image/jpeg" && /^video\/(mp4|quicktime)$/.test(trailing) && /MotionPhoto|MicroVideo/.test(head)
  );
}

/** ZIP readers find an archive by the record at its end, regardless of how the file begins. */
function endsWithZipDirectory(last: Uint8Array): boolean {
  const view = new DataView(last.buffer, last.byteOffset, last.byteLength);
  for (let at = last.length - 22; at >= 0; at--) {
    if (last[at] !== 0x50 || view.getUint32(at) !== 0x504b0506) continue;
    const directory = at - view.getUint32(at + 12, true);
    const comment = view.getUint16(at + 20, true);
    const fits = at + 22 + comment <= last.length;
    if (fits && (directory < 0 || view.getUint32(directory) === 0x504b0102)) return true;
  }
  return false;
}
