// Time-sortable UUIDs, generated from a seed: a retry gets the same ids, so a repeated insert is harmless.
import { createHash } from "node:crypto";
import { v7 } from "uuid";

export type IdGenerator = () => string;

/** Generates UUIDv7s: the same seed and instant give the same ids in the same order. */
export function createIdGenerator(seed: string, at: Date): IdGenerator {
  let count = 0;
  return () => {
    const random = createHash("sha256").update(`${seed}:${count++}`).digest().subarray(0, 16);
    return v7({ msecs: at.getTime(), random });
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
