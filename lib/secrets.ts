// Secrets at rest and on the wire: token hashes, constant-time comparison, and sealing of the networks' tokens.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function hmacSha256Hex(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

/** Compares two hex digests in constant time. */
export function digestsMatch(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, "hex"), Buffer.from(right, "hex")];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** AES-256-GCM; the sealed form is base64 of a 12-byte nonce and the ciphertext with its tag. */
export async function seal(keyBase64: string, clear: string): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const key = await importKey(keyBase64);
  const body = await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, new TextEncoder().encode(clear));
  return Buffer.concat([nonce, new Uint8Array(body)]).toString("base64");
}

export async function unseal(keyBase64: string, sealed: string): Promise<string> {
  const bytes = Buffer.from(sealed, "base64");
  const key = await importKey(keyBase64);
  const clear = await crypto.subtle.decrypt({ name: "AES-GCM", iv: bytes.subarray(0, 12) }, key, bytes.subarray(12));
  return new TextDecoder().decode(clear);
}

function importKey(keyBase64: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", Buffer.from(keyBase64, "base64"), "AES-GCM", false, ["encrypt", "decrypt"]);
}
