// The token endpoint and the revocation endpoint: https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-14#section-3.2 and
// https://datatracker.ietf.org/doc/html/rfc7009, read 2026-11-29.
//
// These are queries of our own because the provider of better-auth cannot keep what a grant promises here. Of
// @better-auth/oauth-provider 1.7.5, the newest on 2026-11-29 (there is none for better-auth 1.7.25: npm refuses it with ERESOLVE for its
// peer @better-auth/utils 0.4.2): a used refresh token has its answer stored by a later statement, so that of refreshes at the same
// time all but one get invalid_grant; the end of a family is two deletes, for all grants that a person gave a client in any
// workspace, between which a refresh survives, as a TODO in it says; a code is consumed before its tokens are written, so that a
// replay in between revokes nothing; and its tokens are found by a query of its own, beside the one for the plan.
import {
  exchangeCode,
  type RefreshedGrant,
  revokeByToken,
  type TokenRequest,
  useRefreshToken,
} from "../queries/grant-tokens.ts";
import { findOAuthClient } from "../queries/oauth-clients.ts";
import type { Services } from "../services/context.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { DAY_MS } from "../shared/durations.ts";
import type { Permission } from "../shared/permissions.ts";
import type { Resource } from "../shared/resources.ts";
import { isDocumentUrl } from "./client-document.ts";
import { readResources } from "./metadata.ts";
import { createTokenPair, deriveTokenPair, readGrantToken, type TokenPair, toCodeChallenge } from "./tokens.ts";

const ACCESS_TOKEN_SECONDS = 60 * 60;
/** A grant that is not refreshed for this long has ended. */
export const GRANT_DAYS = 60;
/** A response may be lost on its way: https://datatracker.ietf.org/doc/html/rfc9700#section-4.14.2, read 2026-11-29. */
const REUSE_SECONDS = 60;

const GRANT_MS = GRANT_DAYS * DAY_MS;

const INVALID_REFRESH_TOKEN =
  "The refresh token is unknown, used or expired, not of this client_id and resource, or its grant has ended.";

export class OAuthError extends Error {
  readonly code: "invalid_request" | "invalid_client" | "invalid_grant" | "invalid_target" | "unsupported_grant_type";
  constructor(code: OAuthError["code"], description: string) {
    super(description);
    this.code = code;
  }
}

interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
}

type Context = Pick<Services, "db" | "env" | "requestId"> & { now: Date; origin: string };

/** Throws an OAuthError. */
export async function issueTokens(context: Context, form: URLSearchParams): Promise<TokenResponse> {
  rejectRepeated(form);
  const grantType = requireField(form, "grant_type");
  if (grantType === "authorization_code") return redeemCode(context, form);
  if (grantType === "refresh_token") return refresh(context, form);
  throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
}

async function redeemCode(context: Context, form: URLSearchParams): Promise<TokenResponse> {
  const codeChallenge = toCodeChallenge(requireField(form, "code_verifier"));
  if (!codeChallenge)
    throw new OAuthError("invalid_request", "code_verifier must be 43 to 128 characters of A-Za-z0-9-._~.");
  const tokens = createTokenPair();
  const exchanged = await exchangeCode(context.db, {
    ...buildTokenRequest(context, form, tokens),
    codeHash: sha256Hex(requireField(form, "code")),
    redirectUri: requireField(form, "redirect_uri"),
    codeChallenge,
  });
  if (exchanged) return toTokenResponse(tokens, exchanged.permissions, ACCESS_TOKEN_SECONDS);
  const description =
    "The code is unknown, used or expired, or not of this client_id, redirect_uri, code_verifier and resource.";
  throw await toGrantError(context, form, description);
}

/**
 * A client that is told that it is unknown registers again, where `invalid_grant` has it ask for a consent that it cannot get:
 * https://datatracker.ietf.org/doc/html/rfc6749#section-5.2, read 2026-11-30.
 */
async function toGrantError({ db, env }: Context, form: URLSearchParams, description: string): Promise<OAuthError> {
  const clientId = requireField(form, "client_id");
  const isKnown = isDocumentUrl(clientId, env) || (await findOAuthClient(db, clientId)) !== null;
  if (isKnown) return new OAuthError("invalid_grant", description);
  return new OAuthError("invalid_client", "The client_id is unknown. Register again.");
}

async function refresh(context: Context, form: URLSearchParams): Promise<TokenResponse> {
  const { db, env, now } = context;
  const text = requireField(form, "refresh_token");
  const refreshToken = readGrantToken(text);
  if (refreshToken?.kind !== "rt") throw await toGrantError(context, form, INVALID_REFRESH_TOKEN);
  const pairs = [env.tokenKeys.current, env.tokenKeys.previous].flatMap((key) =>
    key ? [deriveTokenPair(key, text)] : [],
  );
  const [tokens] = pairs;
  if (!tokens) throw new Error("There is no token key.");
  const reusableSince = new Date(now.getTime() - REUSE_SECONDS * 1000);
  const request = { ...buildTokenRequest(context, form, tokens), refreshToken, reusableSince };
  const refreshed = await useRefreshToken(db, request);
  const given = refreshed && findGivenPair(pairs, refreshed);
  if (!refreshed || !given) throw await toGrantError(context, form, INVALID_REFRESH_TOKEN);
  const secondsLeft = ACCESS_TOKEN_SECONDS - Math.round((now.getTime() - refreshed.usedAt.getTime()) / 1000);
  return toTokenResponse(given, refreshed.permissions, Math.min(ACCESS_TOKEN_SECONDS, secondsLeft));
}

/** The key may have been rotated since the token was used first. */
function findGivenPair(pairs: TokenPair[], { successorId }: RefreshedGrant): TokenPair | undefined {
  return pairs.find(({ refresh: { publicId } }) => publicId === successorId);
}

/** Throws an OAuthError when the token is another client's. An unknown token is no error. */
export async function revokeToken({ db, now, requestId }: Context, form: URLSearchParams): Promise<void> {
  rejectRepeated(form);
  const [token, clientId] = [readGrantToken(requireField(form, "token")), requireField(form, "client_id")];
  if (!token) return;
  const isOwn = await revokeByToken(db, { token, clientId, now, requestId });
  if (isOwn === false) throw new OAuthError("invalid_grant", "The token is not of this client_id.");
}

function buildTokenRequest(context: Context, form: URLSearchParams, tokens: TokenPair): TokenRequest {
  const { now, origin, requestId } = context;
  const resources = readResources(form, origin);
  const known = resources.filter((resource): resource is Resource | null => resource !== undefined);
  if (known.length < resources.length)
    throw new OAuthError("invalid_target", "resource is not one that this server has tokens for.");
  return {
    clientId: requireField(form, "client_id"),
    resources: known,
    tokens,
    now,
    accessExpiresAt: new Date(now.getTime() + ACCESS_TOKEN_SECONDS * 1000),
    grantExpiresAt: new Date(now.getTime() + GRANT_MS),
    requestId,
  };
}

function toTokenResponse(
  { access, refresh }: TokenPair,
  permissions: readonly Permission[],
  seconds: number,
): TokenResponse {
  return {
    access_token: access.token,
    token_type: "Bearer",
    expires_in: seconds,
    refresh_token: refresh.token,
    scope: permissions.join(" "),
  };
}

function rejectRepeated(form: URLSearchParams): void {
  const repeated = [...form.keys()].find((name) => name !== "resource" && form.getAll(name).length > 1);
  if (repeated) throw new OAuthError("invalid_request", `${repeated.slice(0, 100)} is given more than once.`);
}

function requireField(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw new OAuthError("invalid_request", `${name} is missing.`);
  return value;
}
