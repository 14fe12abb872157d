// The signature on every call between this service and the fleet of hosted accounts, in both directions.
import { digestsMatch, hmacSha256Hex } from "../../secrets.ts";

/** How far the clocks may lie apart, and for how long a recorded call could be repeated. */
const VALID_FOR_MS = 5 * 60_000;

export function signed(secret: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return { "x-timestamp": timestamp, "x-signature": `v1=${digestOf(secret, timestamp, body)}` };
}

export function isSigned(secret: string, headers: Headers, body: string, now: Date): boolean {
  const timestamp = headers.get("x-timestamp") ?? "";
  const [, given = ""] = /^v1=([0-9a-f]{64})$/.exec(headers.get("x-signature") ?? "") ?? [];
  const age = /^\d{1,12}$/.test(timestamp) ? now.getTime() - Number(timestamp) * 1000 : Number.POSITIVE_INFINITY;
  return Math.abs(age) <= VALID_FOR_MS && digestsMatch(given, digestOf(secret, timestamp, body));
}

function digestOf(secret: string, timestamp: string, body: string): string {
  return hmacSha256Hex(secret, `${timestamp}.${body}`);
}
