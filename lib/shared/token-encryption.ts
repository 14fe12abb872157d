// Encrypts the tokens of connected accounts with AES-256-GCM. A ciphertext names its key and is bound to its row.
import { sha256Hex } from "./crypto.ts";

/** Keys of 32 bytes in base64. `previous` only decrypts, while a key is rotated. */
export interface TokenKeys {
  current: string;
  previous?: string | undefined;
}

/** The column that holds the ciphertext; a ciphertext that is copied to another row or column does not decrypt. */
export interface TokenLocation {
  accountId: string;
  column: "access_token" | "refresh_token";
}

const NONCE_BYTES = 12;

export function encryptToken(keys: TokenKeys, location: TokenLocation, token: string): Promise<string> {
  return encryptText(keys, toPlace(location), token);
}

/**
 * Returns `<key id>.<base64 of the nonce, the ciphertext and its tag>`. `place` names the row and column: a ciphertext
 * that is copied to another place does not decrypt.
 */
export async function encryptText(keys: TokenKeys, place: string, text: string): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const algorithm = buildAlgorithm(nonce, place);
  const key = await importKey(keys.current);
  const body = await crypto.subtle.encrypt(algorithm, key, new TextEncoder().encode(text));
  return `${getKeyId(keys.current)}.${Buffer.concat([nonce, new Uint8Array(body)]).toString("base64")}`;
}

/** Both tokens of an account as its row stores them. */
export async function encryptTokens(
  keys: TokenKeys,
  accountId: string,
  tokens: { accessToken: string; refreshToken: string | null },
): Promise<{ accessToken: string; refreshToken: string | null }> {
  const { accessToken, refreshToken } = tokens;
  return {
    accessToken: await encryptToken(keys, { accountId, column: "access_token" }, accessToken),
    refreshToken: refreshToken && (await encryptToken(keys, { accountId, column: "refresh_token" }, refreshToken)),
  };
}

export function decryptToken(keys: TokenKeys, location: TokenLocation, encrypted: string): Promise<string> {
  return decryptText(keys, toPlace(location), encrypted);
}

/** Throws when neither key encrypted the text, and when it was encrypted for another row or column. */
export async function decryptText(keys: TokenKeys, place: string, encrypted: string): Promise<string> {
  const [keyId = "", body = ""] = encrypted.split(".");
  const keyBase64 = [keys.current, keys.previous].find((key) => key !== undefined && getKeyId(key) === keyId);
  if (!keyBase64) throw new Error(`No configured token key has the id ${keyId}. Set TOKEN_KEY_PREVIOUS to that key.`);
  const bytes = Buffer.from(body, "base64");
  const algorithm = buildAlgorithm(bytes.subarray(0, NONCE_BYTES), place);
  const plaintext = await crypto.subtle.decrypt(algorithm, await importKey(keyBase64), bytes.subarray(NONCE_BYTES));
  return new TextDecoder().decode(plaintext);
}

/** Names a key without revealing it. */
export function getKeyId(keyBase64: string): string {
  return sha256Hex(`token key ${keyBase64}`).slice(0, 8);
}

function toPlace({ accountId, column }: TokenLocation): string {
  return `accounts/${accountId}/${column}`;
}

function buildAlgorithm(nonce: Uint8Array<ArrayBuffer>, place: string) {
  const additionalData = new TextEncoder().encode(place);
  return { name: "AES-GCM", iv: nonce, additionalData };
}

function importKey(keyBase64: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", Buffer.from(keyBase64, "base64"), "AES-GCM", false, ["encrypt", "decrypt"]);
}
