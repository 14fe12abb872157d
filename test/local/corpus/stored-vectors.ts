// A file of vectors by the SHA-256 of their texts: a line that describes it, then for each text the first 8 bytes of its hash and
// one signed byte per number.
import { createHash } from "node:crypto";

const HASH_BYTES = 8;
const MAX_BYTE = 127;

export interface StoredVectors {
  size: number;
  /** Null for a text that is not in the file. */
  find(text: string): number[] | null;
}

export function formatVectors(description: string, entries: { text: string; vector: number[] }[]): Buffer {
  const rows = entries.flatMap(({ text, vector }) => {
    const largest = Math.max(...vector.map(Math.abs)) || 1;
    return [hashText(text), Buffer.from(Int8Array.from(vector, (value) => Math.round((value / largest) * MAX_BYTE)))];
  });
  return Buffer.concat([Buffer.from(`${description}\n`), ...rows]);
}

/** Throws when the file is not of whole rows. */
export function parseVectors(file: Buffer, dimensions: number): StoredVectors {
  const rows = file.subarray(file.indexOf(10) + 1);
  const rowBytes = HASH_BYTES + dimensions;
  if (rows.length % rowBytes !== 0) throw new Error(`the stored vectors are not of ${dimensions} numbers`);
  const places = new Map<string, number>();
  for (let at = 0; at < rows.length; at += rowBytes) places.set(rows.toString("hex", at, at + HASH_BYTES), at);
  return {
    size: places.size,
    find(text) {
      const at = places.get(hashText(text).toString("hex"));
      if (at === undefined) return null;
      const bytes = new Int8Array(rows.subarray(at + HASH_BYTES, at + rowBytes));
      const length = Math.hypot(...bytes) || 1;
      return Array.from(bytes, (value) => value / length);
    },
  };
}

function hashText(text: string): Buffer {
  return createHash("sha256").update(text).digest().subarray(0, HASH_BYTES);
}
