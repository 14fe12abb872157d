// Ids: time-sortable UUIDs. Drawn from a seed they come out the same again, which makes a repeated insert harmless.
import { createHash } from "node:crypto";
import { v7 } from "uuid";

export type Ids = () => string;

/** UUIDv7s of one execution: the same seed and instant give the same ids in the same order. */
export function idsFrom(seed: string, at: Date): Ids {
  let drawn = 0;
  return () => {
    const random = createHash("sha256").update(`${seed}:${drawn++}`).digest().subarray(0, 16);
    return v7({ msecs: at.getTime(), random });
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
