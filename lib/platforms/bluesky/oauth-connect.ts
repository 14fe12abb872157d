// Connects Bluesky accounts by OAuth at the account's own server.
import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  generateKeyPair,
  processAuthorizationCodeResponse,
  processPushedAuthorizationResponse,
  pushedAuthorizationRequest,
  skipStateCheck,
  validateAuthResponse,
} from "oauth4webapi";
import { DAY_MS } from "../../shared/durations.ts";
import type { NetworkConfig } from "../../shared/platforms.ts";
import { unidentified } from "../authorization.ts";
import type { ConnectIo, Connector, Grant } from "../connector.ts";
import { pickString } from "../http.ts";
import { failure } from "../platform.ts";
import { findAccountServer, getAccountServerContext } from "./account-server.ts";
import { retryWithNonce } from "./dpop.ts";
import { assertSuccess } from "./errors.ts";
import { findIdentity, resolveHandle } from "./identity.ts";
import { getClientId, getScope, isConfidential, openClient, SCOPES } from "./oauth-client.ts";
import { attempt, fetchFrom, findAuthorizationServer } from "./oauth-server.ts";
import { type OauthSession, parseOauthSession, revokeOauth, sendSigned } from "./oauth-session.ts";
import { NETWORK, toNetworkRequest } from "./xrpc.ts";

/** Bluesky's servers end a session then, however often it is renewed (`oauth-constants.ts`). */
const SESSION_MS = { public: 14 * DAY_MS, confidential: 730 * DAY_MS };

/** Stored until the server has sent the browser back. */
interface Remembered {
  server: Pick<
    AuthorizationServer,
    "issuer" | "token_endpoint" | "revocation_endpoint" | "authorization_response_iss_parameter_supported"
  >;
  clientId: string;
  key: JsonWebKey;
  /** The account that was named; null when only its server was. */
  did: string | null;
}

export const connector: Connector = {
  scopes: SCOPES,
  requiredScopes: ["atproto"],

  // The request is sent to the server first, which names it in the URL (RFC 9126).
  async authorizeUrl(network, { redirectUri, state, codeChallenge, origin, identifier }, io) {
    const { did, hint, server: accountServer } = await findIdentity(io, network, identifier);
    const found = await findAuthorizationServer(io, network, accountServer);
    const clientId = getClientId(network, origin, redirectUri);
    const keys = await generateKeyPair("ES256", { extractable: true });
    const { kty, crv, x, y, d } = (await crypto.subtle.exportKey("jwk", keys.privateKey)) as JsonWebKey;
    const key = { kty, crv, x, y, d } as JsonWebKey;
    const send = fetchFrom(io, network, found.issuer);
    const { client, auth, options } = await openClient(network, { clientId, key }, send);
    const parameters = {
      ...{ response_type: "code", redirect_uri: redirectUri, scope: getScope(network), state },
      ...{ code_challenge: codeChallenge, code_challenge_method: "S256" },
      ...(hint ? { login_hint: hint } : {}),
    };
    const { request_uri } = await attempt(() =>
      retryWithNonce(async () => {
        const response = await pushedAuthorizationRequest(found, client, auth, parameters, options);
        return processPushedAuthorizationResponse(found, client, response);
      }),
    );
    const url = new URL(found.authorization_endpoint ?? "");
    url.searchParams.set("client_id", clientId);
    url.searchParams.set("request_uri", request_uri);
    const { issuer, token_endpoint, revocation_endpoint, authorization_response_iss_parameter_supported } = found;
    const server = { issuer, token_endpoint, revocation_endpoint, authorization_response_iss_parameter_supported };
    const remembered: Remembered = { server, clientId, key, did };
    return { url: url.href, remembered: JSON.stringify(remembered) };
  },

  async exchange(network, { code, issuer, redirectUri, codeVerifier, remembered }, io): Promise<Grant> {
    const { server, clientId, key, did } = JSON.parse(remembered) as Remembered;
    const send = fetchFrom(io, network, server.issuer);
    const { client, auth, options } = await openClient(network, { clientId, key }, send);
    const parameters = readAuthorization(server, clientId, { code, ...(issuer === null ? {} : { iss: issuer }) });
    const tokens = await attempt(() =>
      retryWithNonce(async () => {
        const response = await authorizationCodeGrantRequest(
          ...([server, client, auth, parameters, redirectUri, codeVerifier, options] as const),
        );
        return processAuthorizationCodeResponse(server, client, response);
      }),
    );
    const sub = pickString(tokens, "sub");
    if (!sub || tokens.token_type !== "dpop") throw unidentified(NETWORK);
    const session: OauthSession = {
      ...{ token: tokens.access_token, key, clientId, sub, issuer: server.issuer },
      tokenUrl: server.token_endpoint ?? "",
      revokeUrl: server.revocation_endpoint ?? null,
    };
    const refreshToken = tokens.refresh_token ?? null;
    try {
      await assertAccount(io, network, { sub, did, issuer: server.issuer });
    } catch (error) {
      // Nobody keeps these tokens, so their session ends.
      const context = getAccountServerContext(io, network, server.issuer);
      await revokeOauth(context, network, session, refreshToken).catch(() => undefined);
      throw error;
    }
    const after = (ms: number) => new Date(io.now().getTime() + ms);
    return {
      accessToken: JSON.stringify(session),
      refreshToken,
      expiresAt: tokens.expires_in === undefined ? null : after(tokens.expires_in * 1000),
      refreshTokenExpiresAt: after(
        SESSION_MS[isConfidential(network.clientSecret, clientId) ? "confidential" : "public"],
      ),
      scopes: (tokens.scope ?? "").split(" "),
      subject: sub,
    };
  },

  async identify(network, { scopes: _scopes, subject, ...tokens }, io) {
    const session = parseOauthSession(tokens.accessToken);
    if (!session || !subject) throw unidentified(NETWORK);
    const server = await findAccountServer(io, network, subject);
    const context = getAccountServerContext(io, network, server);
    const request = toNetworkRequest(server, { method: "GET", name: "com.atproto.server.getSession" });
    const response = await sendSigned(context, session, request);
    assertSuccess(io, response);
    if (pickString(response.body, "did") !== subject) throw unidentified(NETWORK);
    const username = (await confirmHandle(io, network, subject, pickString(response.body, "handle"))) ?? subject;
    return [{ externalId: subject, username, displayName: username, kind: "profile", grantorId: subject, tokens }];
  },
};

/** A server may claim any handle for its accounts. */
async function confirmHandle(io: ConnectIo, network: NetworkConfig, did: string, handle: string | null) {
  const owner = handle ? await resolveHandle(io, network, handle).catch(() => null) : null;
  return owner === did ? handle : null;
}

/** Checks that the response is of the server that was asked (RFC 9207). The state was checked before. */
function readAuthorization(
  server: AuthorizationServer,
  clientId: string,
  query: Record<string, string>,
): URLSearchParams {
  try {
    return validateAuthResponse(server, { client_id: clientId }, new URLSearchParams(query), skipStateCheck);
  } catch {
    const message = "Another server answered than that of the account. Start the connection again.";
    throw failure({ class: "account", code: "issuer_mismatch", message });
  }
}

/** A server may issue tokens for its own accounts only, and for the account that was named. */
async function assertAccount(
  io: ConnectIo,
  network: NetworkConfig,
  { sub, did, issuer }: { sub: string; did: string | null; issuer: string },
): Promise<void> {
  if (did !== null && sub !== did) {
    const message =
      "You signed in as another account than the one that you named. Start again, and name the account that you sign in as.";
    throw failure({ class: "account", code: "another_account", message });
  }
  if (did !== null) return;
  const own = await findAuthorizationServer(io, network, await findAccountServer(io, network, sub));
  if (own.issuer === issuer) return;
  const message = "The account is not on the server that you named. Start again with the handle of the account.";
  throw failure({ class: "account", code: "server_mismatch", message });
}
