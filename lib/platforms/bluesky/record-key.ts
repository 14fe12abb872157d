// Derives the record key from the delivery id, so that Bluesky can store the post only once.

const ALPHABET = "234567abcdefghijklmnopqrstuvwxyz";
const LENGTH = 13;
const CLOCK_BITS = 10n;
/** Ids without a timestamp map to the 795 days after this date, all of them in the past. */
const EPOCH_MS = Date.UTC(2023, 0, 1);

/** A timestamp identifier (TID), required for post keys: 53 bits of microseconds, 10 bits against collisions. */
export async function deriveRecordKey(deliveryId: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(deliveryId));
  const hash = new DataView(digest);
  const ms = readUuidTime(deliveryId) ?? EPOCH_MS + (hash.getUint32(8) * 16 + (hash.getUint8(12) & 15));
  const micros = BigInt(ms) * 1000n + BigInt(hash.getUint32(0) % 1000);
  return encodeTid((micros << CLOCK_BITS) | BigInt(hash.getUint32(4) & 1023));
}

/** Reads the timestamp of a UUID v7 in milliseconds, so that keys sort by the creation time of their posts. */
function readUuidTime(id: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id) ?? [];
  return high && low ? Number.parseInt(high + low, 16) : null;
}

function encodeTid(value: bigint): string {
  let rest = value;
  let key = "";
  for (let at = 0; at < LENGTH; at++) {
    key = ALPHABET.charAt(Number(rest & 31n)) + key;
    rest >>= 5n;
  }
  return key;
}
