// A file that comes in pieces: of its bytes, only the SHA-256 so far is kept, as plain data.
import { _SHA256 } from "@noble/hashes/sha2.js";

export interface UploadedFile {
  bytes: number;
  /** The eight words of the hash, and the bytes that did not fill a block, in hexadecimal. */
  words: number[];
  rest: string;
  /** The number of the next piece, and pieces that came before their turn, in base64. */
  next: number;
  early: [number, string][];
}

/** The hash is stored between two pieces, which no other implementation offers. */
class ResumableSha256 extends _SHA256 {
  load({ words, rest, bytes }: UploadedFile): this {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
    this.set(a, b, c, d, e, f, g, h);
    const left = Buffer.from(rest, "hex");
    this.buffer.set(left);
    this.pos = left.length;
    this.length = bytes;
    return this;
  }

  save(): Pick<UploadedFile, "words" | "rest"> {
    return { words: [...this.get()], rest: Buffer.from(this.buffer.subarray(0, this.pos)).toString("hex") };
  }
}

export function startFile(): UploadedFile {
  return { bytes: 0, ...new ResumableSha256().save(), next: 0, early: [] };
}

export function addBytes(file: UploadedFile, piece: Uint8Array): void {
  const hash = new ResumableSha256().load(file).update(piece);
  Object.assign(file, { ...hash.save(), bytes: file.bytes + piece.length });
}

/** Adds a piece by its number, from 0; one that is there already changes nothing. */
export function addPiece(file: UploadedFile, number: number, piece: Uint8Array): void {
  if (number < file.next || file.early.some(([other]) => other === number)) return;
  file.early.push([number, Buffer.from(piece).toString("base64")]);
  for (let due = takeDue(file); due !== undefined; due = takeDue(file)) {
    addBytes(file, Buffer.from(due, "base64"));
    file.next += 1;
  }
}

function takeDue(file: UploadedFile): string | undefined {
  const at = file.early.findIndex(([number]) => number === file.next);
  return at < 0 ? undefined : file.early.splice(at, 1)[0]?.[1];
}

/** The hash of what came in order, in hexadecimal. */
export function digestFile(file: UploadedFile): string {
  return Buffer.from(new ResumableSha256().load(file).digest()).toString("hex");
}
