// The consent screens of the fakes: what a person sees who is asked whether an app may publish for them.
import { createHash, randomBytes } from "node:crypto";
import { type NetworkAccount, type NetworkRequest, type NetworkResponse, toExternalId } from "../fake-network.ts";

export interface ClientApp {
  id: string;
  secret: string;
}

/** The app of the deployment that is registered with the fakes. */
export const APP: ClientApp = { id: "local-client", secret: "local-secret" };

/** An app of a customer: any id of this form is registered with the fakes. */
export const toOwnApp = (name: string): ClientApp => ({ id: `own-app-${name}`, secret: `secret-of-own-app-${name}` });

/** The registered app with the id; null when there is none. */
export function findApp(id: string | null): ClientApp | null {
  if (id === APP.id) return APP;
  return id?.startsWith("own-app-") ? toOwnApp(id.slice("own-app-".length)) : null;
}

export interface ScreenRules {
  network: string;
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
}

/** A consent that a person gave; the code is used once. */
export interface Consent {
  /** The app that may exchange the code. */
  clientId: string;
  redirectUri: string;
  codeChallenge: string | null;
  accounts: NetworkAccount[];
  scopes: string[];
  expiresAt: number;
}

/** X's codes last 30 seconds: https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code, read 2026-11-24. */
const CODE_TTL_MS = 30_000;

export function createScreen(rules: ScreenRules, listAccounts: () => NetworkAccount[]) {
  const codes = new Map<string, Consent>();

  function findProblem(query: URLSearchParams): string | null {
    const redirectUri = query.get("redirect_uri") ?? "";
    const unknown = splitScopes(query).filter((scope) => !rules.scopes.includes(scope));
    if (!findApp(query.get(rules.clientParam))) return `${rules.clientParam} is not the id of a registered app.`;
    if (!isRegistered(redirectUri, rules.network)) return "redirect_uri is not registered with the app.";
    if (query.get("response_type") !== "code") return "response_type must be code.";
    if (!query.get("state")) return "state is missing.";
    if (splitScopes(query).length === 0) return "scope is missing.";
    if (unknown.length > 0) return `The app does not have the scope ${unknown.join(", ")}.`;
    const method = query.get("code_challenge_method");
    const hasChallenge = /^[A-Za-z0-9_-]{43}$/.test(query.get("code_challenge") ?? "");
    if (rules.pkce === "required" && !hasChallenge) return "code_challenge is missing.";
    return hasChallenge && method !== "S256" ? "code_challenge_method must be S256." : null;
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
      (id) => known.find(({ externalId }) => externalId === id) ?? createAccount(known[0], id),
    );
    const code = randomBytes(16).toString("hex");
    codes.set(code, {
      clientId: request.query.get(rules.clientParam) ?? "",
      redirectUri: request.query.get("redirect_uri") ?? "",
      codeChallenge: rules.pkce === "none" ? null : request.query.get("code_challenge"),
      accounts,
      scopes: form.getAll("scope").filter((scope) => splitScopes(request.query).includes(scope)),
      expiresAt: Date.now() + CODE_TTL_MS,
    });
    return redirect(request.query, { code });
  }

  return {
    /** The screen, and its answer. An invalid request is shown to the person and sent nowhere. */
    handle(request: NetworkRequest): NetworkResponse {
      const problem = findProblem(request.query);
      if (problem)
        return { status: 400, html: renderPage(rules.network, `<p role="alert">${escapeHtml(problem)}</p>`) };
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
    redeem(fields: Record<string, string>, app: ClientApp): Consent | string {
      if (findApp(app.id)?.secret !== app.secret) return "invalid_client";
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

/** Any other name on the screen is that of an account which is new to the fake. */
function createAccount(like: NetworkAccount | undefined, name: string): NetworkAccount[] {
  const username = name.trim();
  if (!/^[\w.-]{1,30}$/.test(username)) return [];
  const digits = createHash("sha256").update(username).digest().readUIntBE(0, 6);
  const platform = like?.platform ?? "tiktok";
  return [
    {
      platform,
      externalId: toExternalId(platform, digits),
      accessToken: randomBytes(16).toString("hex"),
      username,
    },
  ];
}

function renderScreen(
  { network, several }: ScreenRules,
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
    network,
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
