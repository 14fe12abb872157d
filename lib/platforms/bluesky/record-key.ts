// The record key of a delivery: always the same one, so that Bluesky can hold its post only once.

const ALPHABET = "234567abcdefghijklmnopqrstuvwxyz";
const LENGTH = 13;
const CLOCK_BITS = 10n;
/** Where ids that tell no time are laid: 795 days from here, all of them past. */
const EPOCH_MS = Date.UTC(2023, 0, 1);

/** A timestamp identifier (TID), as post keys must be: 53 bits of microseconds, 10 bits to tell equal ones apart. */
export async function recordKey(deliveryId: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(deliveryId));
  const hash = new DataView(digest);
  const ms = timeOf(deliveryId) ?? EPOCH_MS + (hash.getUint32(8) * 16 + (hash.getUint8(12) & 15));
  const micros = BigInt(ms) * 1000n + BigInt(hash.getUint32(0) % 1000);
  return encode((micros << CLOCK_BITS) | BigInt(hash.getUint32(4) & 1023));
}

/** The milliseconds that a UUID of version 7 begins with, so that keys sort by when their posts were made. */
function timeOf(id: string): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id) ?? [];
  return high && low ? Number.parseInt(high + low, 16) : null;
}

function encode(value: bigint): string {
  let rest = value;
  let key = "";
  for (let at = 0; at < LENGTH; at++) {
    key = (ALPHABET[Number(rest & 31n)] ?? "") + key;
    rest >>= 5n;
  }
  return key;
}
