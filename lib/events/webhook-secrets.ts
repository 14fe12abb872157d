// The secrets of webhooks: made, encrypted for their row, and used to sign.
import type { Env } from "../services/env.ts";
import { hmacSha256Hex } from "../shared/crypto.ts";
import { decryptText, encryptText } from "../shared/token-encryption.ts";
import { readWebhookSecret, toWebhookSecret } from "../shared/webhook-secret.ts";

type Keys = Pick<Env, "tokenKeys">;

/** Of the secret and of the one before a rotation: a rotation copies the ciphertext. */
const toPlace = (webhookId: string): string => `webhooks/${webhookId}/secret`;

export function sealWebhookSecret({ tokenKeys }: Keys, webhookId: string, secret: string): Promise<string> {
  return encryptText(tokenKeys, toPlace(webhookId), secret);
}

export function openWebhookSecret({ tokenKeys }: Keys, webhookId: string, sealed: string): Promise<string> {
  return decryptText(tokenKeys, toPlace(webhookId), sealed);
}

/** A new secret. The same id gives the same one, so that a retry of a request finds the secret that it has stored already. */
export function createWebhookSecret({ tokenKeys }: Keys, id: string): string {
  return toWebhookSecret(Buffer.from(hmacSha256Hex(tokenKeys.current, `webhook secret ${id}`), "hex"));
}

/** The headers of https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md (read 2026-11-28). */
export async function signWebhook(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: Date; body: Uint8Array },
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, content)));
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

async function sign(secret: string, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = readWebhookSecret(secret);
  if (!bytes) throw new Error("a stored secret of a webhook is malformed");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return `v1,${Buffer.from(await crypto.subtle.sign("HMAC", key, content)).toString("base64")}`;
}
