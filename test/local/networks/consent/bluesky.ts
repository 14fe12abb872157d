// The OAuth server of the fake Bluesky: https://atproto.com/specs/oauth, read 2026-11-24. Requests are pushed first, and each
// token belongs to the key that signed the request for it.
import { randomBytes } from "node:crypto";
import { createJwt, errorResponse } from "../../../../lib/simulator/networks/bluesky-protocol.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  readBearerToken,
  readFields,
  type SimulatedNetwork,
} from "../../../../lib/simulator/networks/network.ts";
import { APP, type Apps } from "../apps.ts";
import { findDenial } from "../permissions/find-denial.ts";
import { HOUR, oauthError, ok, screen as toScreenRules } from "./consent-rules.ts";
import { createProofs } from "./proofs.ts";
import { createScreen } from "./screen.ts";

const SCOPES = ["atproto", "transition:generic"] as const;

const PATHS: Record<string, string> = {
  "GET /.well-known/oauth-protected-resource": "oauth/resource",
  "GET /.well-known/oauth-authorization-server": "oauth/server",
  "POST /oauth/par": "oauth/par",
  "GET /oauth/authorize": "consent",
  "POST /oauth/authorize": "consent",
  "POST /oauth/token": "oauth/token",
  "POST /oauth/revoke": "oauth/revoke",
};
const CALLS = [...new Set(Object.values(PATHS))];

interface Session {
  account: NetworkAccount;
  jkt: string;
  clientId: string;
  scope: string;
}

export function addBlueskyConsent(fake: SimulatedNetwork, apps: Apps): SimulatedNetwork {
  const proofs = createProofs();
  const accounts = new Map<string, NetworkAccount>();
  const pushed = new Map<string, Record<string, string> & { jkt: string }>();
  const codes = new Map<string, { jkt: string; clientId: string }>();
  const byAccess = new Map<string, Session>();
  const byRefresh = new Map<string, Session>();
  let hint: string | undefined;
  const screen = createScreen(
    { platform: "bluesky", ...toScreenRules(SCOPES, { pkce: "required" }) },
    apps,
    // The account that the app named comes first.
    () => [...accounts.values()].sort((a, b) => Number(isHinted(b)) - Number(isHinted(a))),
  );
  const isHinted = ({ externalId, username = "" }: NetworkAccount) =>
    hint !== undefined && (externalId === hint || username === hint || hint.startsWith(`${username}.`));

  function push(request: NetworkRequest, jkt: string): NetworkResponse {
    const fields = readFields(request);
    if (!isClient(fields)) return oauthError("invalid_client_metadata");
    const uri = `urn:ietf:params:oauth:request_uri:req-${randomBytes(16).toString("hex")}`;
    pushed.set(uri, { ...fields, jkt });
    return { status: 201, body: { request_uri: uri, expires_in: 300 } };
  }

  function consent(request: NetworkRequest): NetworkResponse {
    const asked = pushed.get(request.query.get("request_uri") ?? "");
    if (!asked || asked.client_id !== request.query.get("client_id")) return { status: 400, html: "Unknown request." };
    const { jkt, login_hint, client_id: clientId = "", ...fields } = asked;
    hint = login_hint;
    const answer = screen.handle({ ...request, query: new URLSearchParams({ ...fields, client_id: APP.id }) });
    if (!answer.headers?.location) return answer;
    const url = new URL(answer.headers.location);
    url.searchParams.set("iss", request.baseUrl);
    codes.set(url.searchParams.get("code") ?? "", { jkt, clientId });
    return { ...answer, headers: { location: url.href } };
  }

  function issue(session: Session): NetworkResponse {
    const { externalId } = session.account;
    const accessToken = createJwt(Date.now(), externalId, session.scope, HOUR);
    const refreshToken = `ref-${randomBytes(16).toString("hex")}`;
    byAccess.set(accessToken, session);
    byRefresh.set(refreshToken, session);
    fake.register({ ...session.account, accessToken, refreshToken, expired: false });
    return ok({
      ...{ access_token: accessToken, token_type: "DPoP", expires_in: HOUR },
      ...{ refresh_token: refreshToken, scope: session.scope, sub: externalId },
    });
  }

  function exchange(request: NetworkRequest, jkt: string): NetworkResponse {
    const fields = readFields(request);
    if (fields.grant_type === "refresh_token") return refresh(fields, jkt);
    const code = codes.get(fields.code ?? "");
    const granted = screen.redeem(fields, APP);
    if (typeof granted === "string" || !code || code.jkt !== jkt || code.clientId !== fields.client_id) {
      return oauthError("invalid_grant");
    }
    const [account] = granted.accounts;
    return account
      ? issue({ account, jkt, clientId: code.clientId, scope: granted.scopes.join(" ") })
      : oauthError("invalid_grant");
  }

  function refresh(fields: Record<string, string>, jkt: string): NetworkResponse {
    const session = byRefresh.get(fields.refresh_token ?? "");
    if (!session || session.jkt !== jkt || session.clientId !== fields.client_id) return oauthError("invalid_grant");
    end(session);
    return issue(session);
  }

  function end(session: Session): void {
    for (const tokens of [byAccess, byRefresh]) {
      for (const [token, own] of tokens) if (own === session) tokens.delete(token);
    }
  }

  function revoke(request: NetworkRequest): NetworkResponse {
    const { token = "" } = readFields(request);
    const session = byRefresh.get(token) ?? byAccess.get(token);
    if (session) end(session);
    return ok({});
  }

  function answer(call: string, request: NetworkRequest): NetworkResponse {
    if (call === "oauth/resource") return ok({ resource: request.baseUrl, authorization_servers: [request.baseUrl] });
    if (call === "oauth/server") return ok(describeServer(request.baseUrl));
    if (call === "consent") return consent(request);
    if (call === "oauth/revoke") return revoke(request);
    const proof = proofs.check(request, null);
    if ("error" in proof) return oauthError(proof.error);
    return call === "oauth/par" ? push(request, proof.jkt) : exchange(request, proof.jkt);
  }

  /** The error of a request with a token of a session, null when it may pass; others are for the rest of the fake. */
  function findError(request: NetworkRequest): NetworkResponse | null {
    const [, scheme, token = ""] = /^(DPoP|Bearer) (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
    const session = byAccess.get(token);
    if (scheme !== "DPoP") return session ? errorResponse(401, "InvalidToken", "The token needs a proof") : null;
    if (!session) return errorResponse(401, "invalid_token", "The session has ended");
    const proof = proofs.check(request, token);
    if ("error" in proof) return unauthorized(proof.error);
    return proof.jkt === session.jkt ? null : unauthorized("invalid_token");
  }

  function findScopeError(call: string, request: NetworkRequest): NetworkResponse | null {
    const account = fake.findAccount(request);
    const scopes = byAccess.get(readBearerToken(request) ?? "")?.scope.split(" ");
    return account
      ? findDenial(apps, "bluesky", { call, request, account: { ...account, ...(scopes ? { scopes } : {}) } })
      : null;
  }

  return {
    ...fake,
    calls: [...fake.calls, ...CALLS],
    register(account) {
      accounts.set(account.externalId, account);
      fake.register(account);
    },
    isConsentCall: (call) => CALLS.includes(call),
    matchCall: (request) => PATHS[`${request.method} ${request.path}`] ?? fake.matchCall(request),
    findAccount: (request) =>
      byRefresh.get(readFields(request).refresh_token ?? "")?.account ?? fake.findAccount(request),

    async handle(call, request) {
      const response = CALLS.includes(call)
        ? answer(call, request)
        : (findError(request) ?? findScopeError(call, request) ?? (await fake.handle(call, request)));
      if (!request.headers.has("dpop")) return response;
      return { ...response, headers: { ...response.headers, "dpop-nonce": proofs.nextNonce() } };
    },

    buildScriptedError(kind, code, request) {
      if (kind === "refuse" && request.path.startsWith("/oauth/")) return oauthError(code ?? "invalid_request");
      return fake.buildScriptedError(kind, code, request);
    },
  };
}

function unauthorized(error: string): NetworkResponse {
  const headers = { "www-authenticate": `DPoP error="${error}"` };
  return { ...errorResponse(401, error, "The request is not authorized"), headers };
}

/** A client of a development machine describes itself in its id; that of a deployment is a document, which is not read here. */
function isClient({ client_id = "", redirect_uri = "", scope = "" }: Record<string, string>): boolean {
  if (!URL.canParse(client_id)) return false;
  const { protocol, host, pathname, searchParams } = new URL(client_id);
  if (protocol === "https:") return new URL(redirect_uri).origin === new URL(client_id).origin;
  const isLoopback = protocol === "http:" && host === "localhost" && pathname === "/";
  return isLoopback && searchParams.get("redirect_uri") === redirect_uri && searchParams.get("scope") === scope;
}

function describeServer(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    pushed_authorization_request_endpoint: `${issuer}/oauth/par`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: ["atproto", "transition:email", "transition:generic", "transition:chat.bsky"],
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    token_endpoint_auth_signing_alg_values_supported: ["ES256"],
    dpop_signing_alg_values_supported: ["ES256"],
    authorization_response_iss_parameter_supported: true,
    require_pushed_authorization_requests: true,
    client_id_metadata_document_supported: true,
  };
}
