// Signs and verifies requests between this service and the hosted publisher, in both directions.
import { digestsMatch, hmacSha256Hex } from "../../shared/crypto.ts";

/** Allowed clock difference, and the time in which a recorded request could be replayed. */
const MAX_AGE_MS = 5 * 60_000;

export function signHeaders(secret: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return { "x-timestamp": timestamp, "x-signature": `v1=${computeDigest(secret, timestamp, body)}` };
}

/** `secrets`: the current one and, while it is rotated, the previous one. */
export function hasValidSignature(secrets: readonly string[], headers: Headers, body: string, now: Date): boolean {
  const timestamp = headers.get("x-timestamp") ?? "";
  const [, given = ""] = /^v1=([0-9a-f]{64})$/.exec(headers.get("x-signature") ?? "") ?? [];
  const age = /^\d{1,12}$/.test(timestamp) ? now.getTime() - Number(timestamp) * 1000 : Number.POSITIVE_INFINITY;
  return (
    Math.abs(age) <= MAX_AGE_MS && secrets.some((secret) => digestsMatch(given, computeDigest(secret, timestamp, body)))
  );
}

function computeDigest(secret: string, timestamp: string, body: string): string {
  return hmacSha256Hex(secret, `${timestamp}.${body}`);
}
