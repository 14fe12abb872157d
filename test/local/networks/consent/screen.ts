// The consent screens of the fakes: what a person sees who is asked whether an app may publish for them.
import { createHash, randomBytes } from "node:crypto";
import type { Platform } from "../../../../lib/shared/platforms.ts";
import {
  type NetworkAccount,
  type NetworkRequest,
  type NetworkResponse,
  toExternalId,
} from "../../../../lib/simulator/networks/network.ts";
import type { Apps, FakeApp } from "../apps.ts";

export interface ScreenRules {
  platform: Platform;
  /** The name of the parameter with the app's id. */
  clientParam: "client_id" | "client_key";
  scopes: readonly string[];
  separator: "," | " ";
  /** Set if the network takes a PKCE challenge; X requires it. */
  pkce: "required" | "optional" | "none";
  /** The error when a person does not agree. */
  deniedError: string;
  /** Set if one consent may cover several accounts. */
  several: boolean;
  /** The error with which the browser is sent back for a scope that the app does not have; others show a page. */
  scopeError?: string;
}

/** A consent that a person gave; the code is used once. */
export interface Consent {
  /** The app that may exchange the code. */
  clientId: string;
  redirectUri: string;
  codeChallenge: string | null;
  accounts: NetworkAccount[];
  scopes: string[];
  /** Asked for, and not agreed to. */
  declined: string[];
  expiresAt: number;
}

/** X's codes last 30 seconds: https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code, read 2026-11-24. */
const CODE_TTL_MS = 30_000;

export function createScreen(rules: ScreenRules, apps: Apps, listAccounts: () => NetworkAccount[]) {
  const codes = new Map<string, Consent>();

  function findProblem(query: URLSearchParams): string | null {
    const redirectUri = query.get("redirect_uri") ?? "";
    if (!apps.find(query.get(rules.clientParam))) return `${rules.clientParam} is not the id of a registered app.`;
    if (!isRegistered(redirectUri, rules.platform)) return "redirect_uri is not registered with the app.";
    if (query.get("response_type") !== "code") return "response_type must be code.";
    if (!query.get("state")) return "state is missing.";
    if (splitScopes(query).length === 0) return "scope is missing.";
    const method = query.get("code_challenge_method");
    const hasChallenge = /^[A-Za-z0-9_-]{43}$/.test(query.get("code_challenge") ?? "");
    if (rules.pkce === "required" && !hasChallenge) return "code_challenge is missing.";
    return hasChallenge && method !== "S256" ? "code_challenge_method must be S256." : null;
  }

  /** The first scope that no product of the app has, or that the network does not know. */
  function findScopeProblem(query: URLSearchParams): string | null {
    const { platform, scopes } = rules;
    const own = apps.find(query.get(rules.clientParam))?.scopes?.[platform] ?? scopes;
    return splitScopes(query).find((scope) => !scopes.includes(scope) || !own.includes(scope)) ?? null;
  }

  function splitScopes(query: URLSearchParams): string[] {
    return (query.get("scope") ?? "").split(rules.separator).filter(Boolean);
  }

  function redirect(query: URLSearchParams, answer: Record<string, string>): NetworkResponse {
    const url = new URL(query.get("redirect_uri") ?? "");
    for (const [name, value] of Object.entries({ ...answer, state: query.get("state") ?? "" })) {
      url.searchParams.set(name, value);
    }
    return { status: 302, headers: { location: url.href } };
  }

  function answer(request: NetworkRequest): NetworkResponse {
    const form = new URLSearchParams(request.body.toString("utf8"));
    if (form.get("decision") !== "allow") return redirect(request.query, { error: rules.deniedError });
    const known = listAccounts();
    const newAccount = form.get("new_account")?.trim();
    const accounts = (newAccount ? [newAccount] : form.getAll("account")).flatMap(
      (id) => known.find(({ externalId }) => externalId === id) ?? createAccount(rules.platform, id),
    );
    const code = randomBytes(16).toString("hex");
    codes.set(code, {
      clientId: request.query.get(rules.clientParam) ?? "",
      redirectUri: request.query.get("redirect_uri") ?? "",
      codeChallenge: rules.pkce === "none" ? null : request.query.get("code_challenge"),
      accounts,
      scopes: splitScopes(request.query).filter((scope) => form.getAll("scope").includes(scope)),
      declined: splitScopes(request.query).filter((scope) => !form.getAll("scope").includes(scope)),
      expiresAt: Date.now() + CODE_TTL_MS,
    });
    return redirect(request.query, { code });
  }

  function showProblem(problem: string): NetworkResponse {
    return { status: 400, html: renderPage(rules.platform, `<p role="alert">${escapeHtml(problem)}</p>`) };
  }

  return {
    /** The screen, and its answer. An invalid request is shown to the person and sent nowhere. */
    handle(request: NetworkRequest): NetworkResponse {
      const problem = findProblem(request.query);
      if (problem) return showProblem(problem);
      const scope = findScopeProblem(request.query);
      if (scope !== null) {
        const description = `Scope "${scope}" is not authorized for your application`;
        if (!rules.scopeError) return showProblem(description);
        return redirect(request.query, { error: rules.scopeError, error_description: description });
      }
      if (request.method === "POST") return answer(request);
      return {
        status: 200,
        html: renderScreen(
          rules,
          request.query.get(rules.clientParam) ?? "",
          splitScopes(request.query),
          listAccounts(),
        ),
      };
    },

    /** Uses a code; returns what is wrong with the request as an OAuth error, if anything is. */
    redeem(fields: Record<string, string>, app: Pick<FakeApp, "id" | "secret">): Consent | string {
      if (apps.find(app.id)?.secret !== app.secret) return "invalid_client";
      const consent = codes.get(fields.code ?? "");
      codes.delete(fields.code ?? "");
      if (!consent || consent.expiresAt < Date.now() || consent.redirectUri !== fields.redirect_uri)
        return "invalid_grant";
      if (consent.clientId !== app.id) return "invalid_grant";
      const verifier = createHash("sha256")
        .update(fields.code_verifier ?? "")
        .digest("base64url");
      return consent.codeChallenge !== null && consent.codeChallenge !== verifier ? "invalid_grant" : consent;
    },
  };
}

/** Registered are the callback of this service for the network, on this machine, without query and fragment. */
function isRegistered(redirectUri: string, network: string): boolean {
  if (!URL.canParse(redirectUri)) return false;
  const { hostname, pathname, search, hash } = new URL(redirectUri);
  const isLocal = ["127.0.0.1", "localhost", "api.test"].includes(hostname);
  return isLocal && pathname === `/connect/callback/${network}` && search === "" && hash === "";
}

/** Any other name on the screen is that of an account which is new to the fake; at LinkedIn a number is the id of a page. */
function createAccount(platform: Platform, name: string): NetworkAccount[] {
  const username = name.trim();
  if (!/^[\w.-]{1,30}$/.test(username)) return [];
  const digits = createHash("sha256").update(username).digest().readUIntBE(0, 6);
  const isMember = platform === "linkedin" && !/^\d+$/.test(username);
  return [
    {
      platform,
      externalId: isMember ? `urn:li:person:${digits}` : toExternalId(platform, digits),
      accessToken: randomBytes(16).toString("hex"),
      username,
    },
  ];
}

function renderScreen(
  { platform, several }: ScreenRules,
  clientId: string,
  scopes: string[],
  accounts: NetworkAccount[],
): string {
  const type = several ? "checkbox" : "radio";
  const choices = accounts
    .slice(0, 20)
    .map(
      ({ externalId, username = externalId }, at) =>
        `<label><input type="${type}" name="account" value="${escapeHtml(externalId)}"${at === 0 ? " checked" : ""}> ${escapeHtml(username)}</label>`,
    );
  const permissions = scopes.map(
    (scope) =>
      `<label><input type="checkbox" name="scope" value="${escapeHtml(scope)}" checked> ${escapeHtml(scope)}</label>`,
  );
  return renderPage(
    platform,
    `<p>The app <b>${escapeHtml(clientId)}</b> asks for access to your account.</p><form method="post">
<fieldset><legend>Sign in as</legend>${choices.join("")}
<label>or as a new account <input name="new_account" maxlength="30" pattern="[\\w.\\-]+"></label></fieldset>
<fieldset><legend>It may</legend>${permissions.join("")}</fieldset>
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form>`,
  );
}

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:2rem auto;padding:0 1rem}
label{display:block;padding:.3rem 0;overflow-wrap:anywhere}fieldset{margin:1rem 0}button{font:inherit;padding:.6rem 1.4rem}`;

function renderPage(network: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${network} (fake)</title><style>${STYLE}</style>
</head><body><h1>${network} (fake)</h1>${body}</body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
