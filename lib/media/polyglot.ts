// Refuses a file that is a second file as well: what programs other than players would take it for.
import { LIMITS } from "./limits.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { ascii, sniff } from "./sniff.ts";
import type { MediaSource } from "./source.ts";

/** Readers of these look for their mark anywhere in the first kilobyte. */
const HEAD_MARKS: [RegExp, string][] = [
  [/%PDF-\d/, "a PDF document"],
  [/<(!doctype html|html|script|body|iframe)[\s>]/i, "a web page"],
  [/<\?php\s/i, "a PHP script"],
];

/** `end` is where the picture or video ends as its own format has it. */
export async function checkTail(source: MediaSource, end: number, contentType: string): Promise<void> {
  const head = await source.read(0, Math.min(source.size, LIMITS.polyglotHead));
  const from = Math.max(0, source.size - LIMITS.polyglotTail);
  const last = await source.read(from, source.size - from);
  const rest = await source.read(end, Math.min(LIMITS.polyglotTail, source.size - end));
  const behind = behindTheEnd(rest);
  const found =
    inHead(head) ?? (behind !== contentType ? behind : null) ?? (endsAsArchive(last) ? "a ZIP archive" : null);
  if (found) throw twoFiles(found);
}

/** The same for bytes in memory, which may announce what follows them. */
export function checkImageTail(bytes: Uint8Array, end: number, contentType: string): void {
  const rest = bytes.subarray(end);
  const behind = behindTheEnd(rest);
  const found =
    inHead(bytes.subarray(0, LIMITS.polyglotHead)) ??
    (behind && !announced(bytes, behind, contentType) ? behind : null) ??
    (endsAsArchive(bytes.subarray(-LIMITS.polyglotTail)) ? "a ZIP archive" : null);
  if (found) throw twoFiles(found);
}

function twoFiles(found: string): Error & { refusal: Refusal } {
  return refuse("polyglot", `The file is ${found} as well; send it without anything that does not belong to it.`);
}

function inHead(head: Uint8Array): string | null {
  const text = ascii(head, 0, head.length);
  return HEAD_MARKS.find(([mark]) => mark.test(text))?.[1] ?? null;
}

/** Padding and the private notes of cameras are no file. */
function behindTheEnd(rest: Uint8Array): string | null {
  const begin = rest.findIndex((byte) => byte !== 0);
  if (begin < 0) return null;
  // Zeros may belong to what comes: the box that a video begins with tells its length first.
  for (let at = Math.max(0, begin - 3); at <= begin; at++) {
    const kind = kindOf(rest.subarray(at, at + 4096));
    if (kind) return kind;
  }
  return null;
}

function kindOf(tail: Uint8Array): string | null {
  const kind = sniff(tail);
  if (kind !== "plain text" && kind !== "a web page" && kind !== "an XML document") return kind;
  // To a reader of text alone any byte from 128 on is a letter.
  const letters = tail.every((byte) => byte < 0x7f && (byte >= 0x20 || byte === 9 || byte === 10 || byte === 13));
  return letters && ascii(tail, 0, tail.length).trim().length > 7 ? kind : null;
}

/** Phones put the depth map of a picture behind it as another one, and the video of a moving picture. */
function announced(bytes: Uint8Array, behind: string, contentType: string): boolean {
  if (behind === contentType) return true;
  const head = ascii(bytes, 0, Math.min(bytes.length, 65_536));
  return contentType === "image/jpeg" && behind === "video/mp4" && /MotionPhoto|MicroVideo/.test(head);
}

/** Archives are found by a record at their end, whatever the file begins with. */
function endsAsArchive(last: Uint8Array): boolean {
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
