// The secrets of a connection, encrypted for its row, so that no reader of the database sees them.
import * as z from "zod";
import type { ConnectableAccount } from "../platforms/connector.ts";
import type { Env } from "../services/env.ts";
import { decryptText, encryptText } from "../shared/token-encryption.ts";

const Instant = z.coerce.date();

const Tokens = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: Instant.nullable(),
  refreshTokenExpiresAt: Instant.nullable().optional(),
});

const Candidate = z.object({
  externalId: z.string(),
  username: z.string(),
  displayName: z.string(),
  kind: z.enum(["profile", "page", "organization", "channel"]),
  grantorId: z.string(),
  tokens: Tokens,
}) satisfies z.ZodType<ConnectableAccount>;

const Secrets = z.object({
  /** The browser goes to this path after the consent. */
  returnTo: z.string(),
  /** PKCE: proves that the code is exchanged by the client that requested it. */
  codeVerifier: z.string().optional(),
  redirectUri: z.string().optional(),
  /** The app that asked for the consent, and exchanges the code. */
  variant: z.enum(["default", "pages"]).optional(),
  /** The network's connector gets this back after the consent. */
  remembered: z.string().optional(),
  /** The accounts to choose from. */
  candidates: z.array(Candidate).optional(),
});
export type ConnectionSecrets = z.output<typeof Secrets>;

export function sealSecrets({ tokenKeys }: Env, connectionId: string, secrets: ConnectionSecrets): Promise<string> {
  return encryptText(tokenKeys, toPlace(connectionId), JSON.stringify(secrets));
}

export async function openSecrets(
  { tokenKeys }: Env,
  connectionId: string,
  sealed: string,
): Promise<ConnectionSecrets> {
  return Secrets.parse(JSON.parse(await decryptText(tokenKeys, toPlace(connectionId), sealed)));
}

function toPlace(connectionId: string): string {
  return `connections/${connectionId}/secrets`;
}
