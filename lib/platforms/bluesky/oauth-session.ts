// Sessions by OAuth. Each request is signed with the session's key.
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  isDPoPNonceError,
  processRefreshTokenResponse,
  processRevocationResponse,
  protectedResourceRequest,
  pushedAuthorizationRequest,
  ResponseBodyError,
  refreshTokenGrantRequest,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import type { NetworkConfig } from "../../shared/platforms.ts";
import {
  fetchChecked,
  type HttpContext,
  type NetworkRequest,
  type NetworkResponse,
  pickNumber,
  sendRequest,
} from "../http.ts";
import { isClientRejected, readTokens, toRejectedAppFailure } from "../oauth.ts";
import { failure, getFailure, type RefreshedTokens } from "../platform.ts";
import { openDpop, retryWithNonce } from "./dpop.ts";
import { toAuthFailure } from "./errors.ts";
import { openClient } from "./oauth-client.ts";
import { NETWORK } from "./xrpc.ts";

/** Stored in place of an access token; the refresh token is stored apart. */
export interface OauthSession {
  token: string;
  /** The private key of the session: P-256. */
  key: JsonWebKey;
  clientId: string;
  /** The account's DID. */
  sub: string;
  /** The account's authorization server. */
  issuer: string;
  tokenUrl: string;
  revokeUrl: string | null;
}

/** Null for the access token of another kind of session, which is a JWT. */
export function parseOauthSession(accessToken: string): OauthSession | null {
  return accessToken.startsWith("{") ? (JSON.parse(accessToken) as OauthSession) : null;
}

/** A request that is sent again with the nonce that the server asks for, and so with a body that can be opened again. */
export interface SignedRequest extends NetworkRequest {
  openBody?: (() => Promise<ReadableStream>) | undefined;
}

/** Sends a request with the access token and a proof of the session's key. */
export async function sendSigned(
  io: HttpContext,
  session: Pick<OauthSession, "key" | "token">,
  { openBody, ...request }: SignedRequest,
  isRepeat = false,
): Promise<NetworkResponse> {
  const options = { DPoP: await openDpop(session.key), [customFetch]: io.fetch, [allowInsecureRequests]: true };
  let isNonceMissing = false;
  const fetchSigned = async (input: RequestInfo | URL, { method = "GET", headers, body, signal }: RequestInit = {}) => {
    try {
      const signed = { ...options, ...(signal ? { signal } : {}) };
      const [url, sent] = [new URL(String(input)), body as ReadableStream];
      return await protectedResourceRequest(session.token, method, url, new Headers(headers), sent, signed);
    } catch (error) {
      if (!(error instanceof WWWAuthenticateChallengeError)) throw error;
      isNonceMissing = isDPoPNonceError(error);
      return error.response;
    }
  };
  const body = openBody ? { body: await openBody() } : {};
  const response = await sendRequest({ ...io, fetch: fetchSigned }, { ...request, ...body });
  return isNonceMissing && !isRepeat ? sendSigned(io, session, { ...request, openBody }, true) : response;
}

/** Refresh tokens are used once. `io` is the context for the session's issuer, here and below. */
export async function refreshOauth(
  io: HttpContext,
  network: NetworkConfig,
  session: OauthSession,
  refreshToken: string,
): Promise<RefreshedTokens> {
  const { server, client, auth, options } = await openSession(io, network, session);
  try {
    const body = await retryWithNonce(async () => {
      const response = await refreshTokenGrantRequest(server, client, auth, refreshToken, options);
      return processRefreshTokenResponse(server, client, response);
    });
    const tokens = body.sub === session.sub ? readTokens(io, body) : null;
    if (!tokens) throw failure(toAuthFailure("wrong_account"));
    return { ...tokens, accessToken: JSON.stringify({ ...session, token: tokens.accessToken }) };
  } catch (error) {
    if (getFailure(error)) throw error;
    if (error instanceof ResponseBodyError) {
      const { error: code, error_description: detail } = error;
      throw failure(
        isClientRejected(code, { error_description: detail })
          ? toRejectedAppFailure("The account's server", code)
          : toAuthFailure(code),
      );
    }
    // The library keeps an unexpected response in the error.
    throw failure(toAuthFailure(`http_${pickNumber(error, "status") ?? pickNumber(error, "cause", "status") ?? 200}`));
  }
}

/** Ends the session at the account's server. False when the server has no call for it. */
export async function revokeOauth(
  io: HttpContext,
  network: NetworkConfig,
  session: OauthSession,
  refreshToken: string | null,
): Promise<boolean> {
  if (!session.revokeUrl) return false;
  const { server, client, auth, options } = await openSession(io, network, session);
  // Bluesky's server wants a proof, which the library's `revocationRequest` does not send; this request has the same form.
  const revoking = { ...server, pushed_authorization_request_endpoint: session.revokeUrl };
  const token = refreshToken ?? session.token;
  await retryWithNonce(async () => {
    await processRevocationResponse(await pushedAuthorizationRequest(revoking, client, auth, { token }, options));
  });
  return true;
}

async function openSession(io: HttpContext, network: NetworkConfig, session: OauthSession) {
  const server: AuthorizationServer = { issuer: session.issuer, token_endpoint: session.tokenUrl };
  const send = (url: string, init: RequestInit) => fetchChecked(io, NETWORK, url, init);
  return { server, ...(await openClient(network, session, send)) };
}
