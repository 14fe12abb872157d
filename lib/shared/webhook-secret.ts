// Secrets that sign webhooks, in the form of https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
// (read 2026-11-28).

const PREFIX = "whsec_";
const BYTES = { least: 24, most: 64, generated: 32 } as const;

/** In the list of types of a webhook: events of every type. */
export const EVERY_TYPE = "*";

/** The bytes after the prefix; null for a text that is no secret. */
export function readWebhookSecret(secret: string): Uint8Array<ArrayBuffer> | null {
  if (!secret.startsWith(PREFIX)) return null;
  const text = secret.slice(PREFIX.length);
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  if (bytes.length < BYTES.least || bytes.length > BYTES.most) return null;
  return Buffer.from(bytes).toString("base64") === text ? bytes : null;
}

export const isWebhookSecret = (text: string): boolean => readWebhookSecret(text) !== null;

export const toWebhookSecret = (bytes: Uint8Array): string => `${PREFIX}${Buffer.from(bytes).toString("base64")}`;
