// Clients of OAuth: one that registered itself (RFC 7591), or one whose id is the URL of its description. All are public: none has a secret.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { findOAuthClient } from "../queries/oauth-clients.ts";
import type { Services } from "../services/context.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { toSingleLine } from "../shared/single-line.ts";
import { documentError, isDocumentUrl, readClientDocument } from "./client-document.ts";
import { findRedirectUriProblem, isLoopback } from "./redirect-uris.ts";

export interface OAuthClient {
  id: string;
  name: string;
  redirectUris: readonly string[];
}

const MAX_NAME_LENGTH = 100;
const MAX_REDIRECT_URIS = 10;

/**
 * The fields of https://datatracker.ietf.org/doc/html/rfc7591#section-2 that matter here; others are ignored, as it says, read
 * 2026-11-29. An optional field that is null counts as left out.
 */
const Metadata = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  client_name: z.string().nullish(),
  grant_types: z.array(z.string()).nullish(),
  response_types: z.array(z.string()).nullish(),
  token_endpoint_auth_method: z.string().nullish(),
});

/** A character that is neither a space nor invisible; U+2800 is a blank pattern of Braille. */
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{C}\p{Z}\u2800]/u;

export interface ClientProblem {
  error: "invalid_redirect_uri" | "invalid_client_metadata";
  description: string;
}

/** The description that a client gives of itself, or the reason to reject it. */
export function parseClientMetadata(given: unknown): Omit<OAuthClient, "id"> | ClientProblem {
  const parsed = Metadata.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const isUri = issue?.path[0] === "redirect_uris";
    const description = isUri
      ? `redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URLs.`
      : `${issue?.path.join(".") || "The description"} is not valid: ${issue?.message}`;
    return { error: isUri ? "invalid_redirect_uri" : "invalid_client_metadata", description };
  }
  const { redirect_uris, client_name, grant_types, response_types } = parsed.data;
  for (const uri of redirect_uris) {
    const problem = findRedirectUriProblem(uri);
    if (problem) return { error: "invalid_redirect_uri", description: `${uri.slice(0, 200)} ${problem}.` };
  }
  if (grant_types && !grant_types.includes("authorization_code"))
    return { error: "invalid_client_metadata", description: "grant_types must include authorization_code." };
  if (response_types && !response_types.includes("code"))
    return { error: "invalid_client_metadata", description: "response_types must include code." };
  const name = toSingleLine((client_name ?? "").toWellFormed())
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed();
  return { name: VISIBLE.test(name) ? name : "An app without a name", redirectUris: redirect_uris };
}

export function createClientId(): string {
  return `oc_${randomBytes(16).toString("hex")}`;
}

/** Null for an unknown id. Throws 400 when the description of a client cannot be used. */
export async function findClient(services: Services, id: string): Promise<OAuthClient | null> {
  return isDocumentUrl(id, services.env) ? findDescribedClient(services, id) : findOAuthClient(services.db, id);
}

/** Short, so that a client whose addresses changed soon works, and one that was taken over soon stops. */
const CACHE_SECONDS = 5 * 60;

async function findDescribedClient(services: Services, id: string): Promise<OAuthClient> {
  const key = `oauth-client:${sha256Hex(id)}`;
  const cached = await services.redis.get<OAuthClient>(key);
  if (cached) return cached;
  const described = parseClientMetadata(await readClientDocument(services, id));
  if ("error" in described) throw documentError(`is not valid. ${described.description}`);
  const client = { id, ...described };
  await services.redis.set(key, client, { ex: CACHE_SECONDS });
  return client;
}

/** The part of a client's description that is verified: the host of its id, or of the page that it returns to. */
export function describeHost(client: Pick<OAuthClient, "id">, redirectUri: string): string {
  if (URL.canParse(client.id)) return new URL(client.id).host;
  if (isLoopback(redirectUri)) return "an app on this computer";
  const { protocol, host } = new URL(redirectUri);
  return protocol === "https:" ? host : `the app of ${protocol}`;
}
