// Adds a consent screen, the exchange of codes, the account's profile and the end of a consent to a fake network.

import type { Platform } from "../../../../lib/shared/platforms.ts";
import { createTraceId } from "../../../../lib/simulator/networks/context.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  readBearerToken,
  readFields,
  type SimulatedNetwork,
} from "../../../../lib/simulator/networks/network.ts";
import type { Apps } from "../apps.ts";
import { findDenial } from "../permissions/find-denial.ts";
import { addBlueskyConsent } from "./bluesky.ts";
import { type ConsentEndpoint, type ConsentRules, first, type Granted } from "./consent-rules.ts";
import { CONSENTS } from "./rules.ts";
import { createScreen } from "./screen.ts";

/** A fake without rules, the hosted publisher, stays as it is. */
export function withConsent(fake: SimulatedNetwork, apps: Apps): SimulatedNetwork {
  const { platform } = fake;
  if (platform === "hosted") return fake;
  if (platform === "bluesky") return addBlueskyConsent(fake, apps);
  const rules = CONSENTS[platform];
  return rules ? addConsent(fake, platform, rules, apps) : fake;
}

function addConsent(fake: SimulatedNetwork, platform: Platform, rules: ConsentRules, apps: Apps): SimulatedNetwork {
  const accounts = new Map<string, NetworkAccount>();
  const grants = new Map<string, Granted>();
  const revoked = new Set<string>();
  /** The app of each refresh token: another one cannot use it (RFC 6749, section 6). */
  const issuers = new Map<string, string>();
  const screen = createScreen({ platform, ...rules.screen }, apps, () => [...accounts.values()]);
  const names = ["consent", ...new Set(rules.endpoints.map(({ call }) => call))];

  function register(account: NetworkAccount): void {
    accounts.set(account.externalId, account);
    fake.register(account);
  }

  function find(request: NetworkRequest): ConsentEndpoint | null {
    const fields = readAllFields(request);
    const found = rules.endpoints.find(
      ({ method, path, when }) => request.method === method && path.test(request.path) && (when?.(fields) ?? true),
    );
    return found ?? null;
  }

  function exchange(endpoint: ConsentEndpoint, request: NetworkRequest): NetworkResponse {
    const fields = readAllFields(request);
    const consent = screen.redeem(fields, readApp(rules, request, fields));
    if (typeof consent === "string") return rules.toError(consent);
    const prefix = platform === "facebook" ? "user-" : "granted-";
    const granted: Granted = { consent, accessToken: createTraceId(prefix), refreshToken: createTraceId("refresh-") };
    grants.set(granted.accessToken, granted);
    issuers.set(granted.refreshToken, consent.clientId);
    registerTokens(granted);
    return endpoint.respond(granted, request);
  }

  /** Facebook's pages have tokens of their own; on other networks the consent's tokens publish for its accounts. */
  function registerTokens({ consent, accessToken, refreshToken }: Granted): void {
    for (const account of consent.accounts) {
      if (platform === "facebook") account.accessToken = createTraceId("page-");
      const own = platform === "facebook" ? {} : { accessToken, refreshToken };
      const actsAs = consent.accounts.map(({ externalId }) => `urn:li:organization:${externalId.split(":").at(-1)}`);
      const facts = platform === "linkedin" ? { facts: { ...account.facts, actsAs } } : {};
      const issued = { app: consent.clientId, scopes: consent.scopes, expired: false };
      register({ ...account, platform, ...own, ...facts, ...issued });
    }
  }

  async function refresh(call: string, request: NetworkRequest, token: string, issuer: string) {
    const { id, secret } = readApp(rules, request, readAllFields(request));
    if (apps.find(id)?.secret !== secret) return rules.toError("invalid_client");
    if (id !== issuer) return rules.toError("invalid_grant");
    const response = await fake.handle(call, request);
    const { access_token, refresh_token = token } = (response.body ?? {}) as Record<string, string>;
    issuers.set(refresh_token, issuer);
    const granted = [...grants.values()].find(({ refreshToken }) => refreshToken === token);
    if (granted && access_token) {
      grants.delete(granted.accessToken);
      grants.set(access_token, { ...granted, accessToken: access_token, refreshToken: refresh_token });
    }
    return response;
  }

  function revoke(endpoint: ConsentEndpoint, request: NetworkRequest): NetworkResponse {
    const token = readAllFields(request)[endpoint.tokenField ?? ""] ?? "";
    const granted = [...grants.values()].find((one) => one.accessToken === token || one.refreshToken === token);
    if (!granted) return rules.toError("invalid_token");
    const app = readApp(rules, request, readAllFields(request));
    const isIssuer = app.id === granted.consent.clientId && apps.find(app.id)?.secret === app.secret;
    if (app.id && !isIssuer) return rules.toError("invalid_client");
    revoked.add(granted.refreshToken);
    for (const account of granted.consent.accounts) {
      fake.register({ ...account, accessToken: granted.accessToken, refreshToken: null, expired: true });
    }
    return endpoint.respond(granted, request);
  }

  /** Facebook's pages have tokens of their own, so the person's is known from the consent alone. */
  function findAccount(request: NetworkRequest) {
    const granted = grants.get(readBearerToken(request) ?? "");
    if (!granted) return fake.findAccount(request);
    const { clientId: app, scopes } = granted.consent;
    return { externalId: first(granted).externalId, app, scopes };
  }

  return {
    ...fake,
    register,
    findAccount,
    calls: [...fake.calls, ...names],
    isConsentCall: (call) => names.includes(call),
    matchCall(request) {
      if (request.path === rules.screenPath && /^(GET|POST)$/.test(request.method)) return "consent";
      return find(request)?.call ?? fake.matchCall(request);
    },

    async handle(call, request) {
      if (call === "consent") return screen.handle(request);
      const fields = readAllFields(request);
      if (fields.refresh_token && revoked.has(fields.refresh_token)) return rules.toError("invalid_grant");
      const issuer = issuers.get(fields.refresh_token ?? "");
      if (issuer && fields.grant_type === "refresh_token")
        return refresh(call, request, fields.refresh_token ?? "", issuer);
      const account = findAccount(request);
      const denial = account ? findDenial(apps, platform, { call, request, account }) : null;
      if (denial) return denial;
      const endpoint = names.includes(call) ? find(request) : null;
      if (!endpoint) return fake.handle(call, request);
      if (endpoint.kind === "code") return exchange(endpoint, request);
      if (endpoint.kind === "revoke") return revoke(endpoint, request);
      const token = endpoint.tokenField ? fields[endpoint.tokenField] : readBearerToken(request);
      const granted = grants.get(token ?? "");
      if (granted) return endpoint.respond(granted, request);
      // The token of an account that no consent of this process made.
      const own = fake.matchCall(request);
      return own ? fake.handle(own, request) : rules.toError("invalid_token");
    },
  };
}

function readAllFields(request: NetworkRequest): Record<string, string> {
  const isForm = /urlencoded/.test(request.headers.get("content-type") ?? "");
  return { ...Object.fromEntries(request.query), ...(isForm ? readFields(request) : {}) };
}

function readApp(rules: ConsentRules, request: NetworkRequest, fields: Record<string, string>) {
  if (rules.app !== "basic") return { id: fields[rules.app[0]] ?? "", secret: fields[rules.app[1]] ?? "" };
  const [, encoded = ""] = /^Basic (.+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  const [id = "", secret = ""] = Buffer.from(encoded, "base64").toString().split(":");
  return { id, secret };
}
