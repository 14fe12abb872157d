// Sessions by OAuth (https://atproto.com/specs/oauth, read 2026-11-24): each request is signed with the session's key (DPoP,
// RFC 9449). Own code, because it is in the API Worker, whose size is limited: `oauth4webapi`, with which accounts are
// connected, would add 6.3 KiB for this, and `dpop` 1.3 KiB for the proofs alone. This file and its callers add 1.0 KiB.
import type { NetworkConfig } from "../../shared/platforms.ts";
import { type HttpContext, type NetworkRequest, type NetworkResponse, pickString, sendRequest } from "../http.ts";
import { readTokens } from "../oauth.ts";
import { failure, type RefreshedTokens } from "../platform.ts";
import { toAuthFailure } from "./errors.ts";
import { NETWORK } from "./xrpc.ts";

/** What is stored in place of an access token; the refresh token has its own place. */
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

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Each server's latest nonce: one that is too old costs a second request. */
const nonces = new Map<string, string>();
const MAX_NONCES = 1_000;

/** A request that is sent again with the nonce that the server asks for, and so with a body that can be opened again. */
export interface SignedRequest extends NetworkRequest {
  openBody?: (() => Promise<ReadableStream>) | undefined;
}

/** Sends a request with a proof of the session's key, and with the access token if it is `authorized`. */
export async function sendSigned(
  io: HttpContext,
  { key, token }: Pick<OauthSession, "key" | "token">,
  { openBody, ...request }: SignedRequest,
  authorized: boolean,
  isRepeat = false,
): Promise<NetworkResponse> {
  const { origin, pathname } = new URL(request.url);
  const nonce = nonces.get(origin);
  const claims = {
    ...{ htm: request.method, htu: origin + pathname, nonce },
    ...(authorized ? { ath: toBase64Url(await crypto.subtle.digest("SHA-256", Buffer.from(token))) } : {}),
  };
  const { d: _private, ...jwk } = key;
  const dpop = await signJwt(io, key, { typ: "dpop+jwt", jwk }, claims);
  const headers = { ...request.headers, dpop, ...(authorized ? { authorization: `DPoP ${token}` } : {}) };
  const reply = await sendRequest(io, { ...request, headers, ...(openBody ? { body: await openBody() } : {}) });
  const next = reply.headers.get("dpop-nonce");
  if (!next || next === nonce) return reply;
  if (nonces.size >= MAX_NONCES) nonces.clear();
  nonces.set(origin, next);
  const isRefused = /use_dpop_nonce/.test(
    `${pickString(reply.body, "error")} ${reply.headers.get("www-authenticate")}`,
  );
  return isRefused && !isRepeat ? sendSigned(io, { key, token }, { ...request, openBody }, authorized, true) : reply;
}

/** Refresh tokens are used once: the new one is in the answer. `io` is the context for the session's issuer, here and below. */
export async function refreshOauth(
  io: HttpContext,
  network: NetworkConfig,
  session: OauthSession,
  refreshToken: string,
): Promise<RefreshedTokens> {
  const form = { grant_type: "refresh_token", refresh_token: refreshToken };
  const { body, status } = await postForm(io, network, session, session.tokenUrl, form);
  const tokens = status < 400 && pickString(body, "sub") === session.sub ? readTokens(io, body) : null;
  if (!tokens) throw failure(toAuthFailure(pickString(body, "error") ?? `http_${status}`));
  return { ...tokens, accessToken: JSON.stringify({ ...session, token: tokens.accessToken }) };
}

/** Ends the session at the account's server. False when the server has no call for it. */
export async function revokeOauth(
  io: HttpContext,
  network: NetworkConfig,
  session: OauthSession,
  refreshToken: string | null,
): Promise<boolean> {
  if (!session.revokeUrl) return false;
  const { status } = await postForm(io, network, session, session.revokeUrl, { token: refreshToken ?? session.token });
  return status < 400;
}

async function postForm(
  io: HttpContext,
  network: NetworkConfig,
  session: OauthSession,
  url: string,
  fields: Record<string, string>,
): Promise<NetworkResponse> {
  const form = { ...fields, ...(await authenticate(io, network, session)) };
  return sendSigned(io, session, { network: NETWORK, method: "POST", url, form }, false);
}

/** With a key, this service proves that it is the client that its metadata describes (`private_key_jwt`, RFC 7523). */
async function authenticate(
  io: HttpContext,
  { clientSecret }: NetworkConfig,
  { clientId, issuer }: OauthSession,
): Promise<Record<string, string>> {
  if (!isConfidential(clientSecret, clientId)) return { client_id: clientId };
  const key = JSON.parse(clientSecret) as JsonWebKey & { kid: string };
  return {
    client_id: clientId,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await signJwt(io, key, { kid: key.kid }, { iss: clientId, sub: clientId, aud: issuer }),
  };
}

/** The client of a development machine has no metadata that could hold a key. */
export function isConfidential(clientSecret: string, clientId: string): boolean {
  return clientSecret !== "" && clientId.startsWith("https:");
}

async function signJwt(io: HttpContext, key: JsonWebKey, header: object, claims: object): Promise<string> {
  const iat = Math.floor(io.now().getTime() / 1000);
  const parts = [
    { ...header, alg: "ES256" },
    { ...claims, iat, exp: iat + 60, jti: crypto.randomUUID() },
  ];
  const text = parts.map((part) => toBase64Url(Buffer.from(JSON.stringify(part)))).join(".");
  const privateKey = await crypto.subtle.importKey("jwk", key, ALGORITHM, false, ["sign"]);
  return `${text}.${toBase64Url(await crypto.subtle.sign(ALGORITHM, privateKey, Buffer.from(text)))}`;
}

function toBase64Url(bytes: ArrayBuffer | Uint8Array): string {
  return Buffer.from(bytes as Uint8Array).toString("base64url");
}
