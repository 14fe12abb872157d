// A client of OAuth, which oauth4webapi checks strictly, and the browser of the person who consents.
import * as oauth from "oauth4webapi";
import { v7 as newId } from "uuid";
import worker from "../../functions/workspace/worker.ts";
import { createBindings, createTestTenant, type Tenant } from "../support/harness.ts";
import { type Browser, ORIGIN, signInOwner } from "../workspace/dashboard.ts";

const REDIRECT_URI = "https://client.example/callback";
export const PUBLIC = oauth.None();

/** Requests of a program to the Worker of the pages. Each program has an address of its own, as limits are per address. */
export function createProgramFetch(env: Record<string, unknown> = {}) {
  const address = newId();
  const bindings = { ...createBindings([]), PUBLIC_URL: ORIGIN, ...env };
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const pending: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>) => pending.push(work), passThroughOnException() {} };
    const headers = new Headers(init.headers);
    headers.set("cf-connecting-ip", address);
    const request = new Request(url, { ...init, headers });
    const response = await worker.fetch(request, bindings, context as unknown as ExecutionContext);
    await Promise.all(pending);
    return response;
  };
}

export interface Program {
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  redirectUri: string;
  fetch: ReturnType<typeof createProgramFetch>;
  options: {
    [oauth.customFetch]: (url: string, init: object) => Promise<Response>;
    [oauth.allowInsecureRequests]: true;
  };
}

/** Finds the server by its metadata and registers. */
export async function createProgram({ redirectUri = REDIRECT_URI, name = "Test client" } = {}): Promise<Program> {
  const fetch = createProgramFetch();
  const options = { [oauth.customFetch]: fetch, [oauth.allowInsecureRequests]: true } as Program["options"];
  const issuer = new URL(ORIGIN);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...options }),
  );
  const metadata = { client_name: name, redirect_uris: [redirectUri], token_endpoint_auth_method: "none" };
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, metadata, options),
  );
  return { server, client, redirectUri, fetch, options };
}

export interface Attempt {
  verifier: string;
  state: string;
  /** Of the authorization endpoint, with the request. */
  path: string;
}

/** An authorization request; `changes` replaces parameters, and null leaves one out. */
export async function startAttempt(
  { client, redirectUri }: Pick<Program, "client" | "redirectUri">,
  changes: Record<string, string | null> = {},
): Promise<Attempt> {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const parameters: Record<string, string | null> = {
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    ...changes,
  };
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  return { verifier, state, path: `/oauth/authorize?${new URLSearchParams(given)}` };
}

/** The boxes of the consent, as a browser would send them. */
export function readConsent(text: string): {
  form: URLSearchParams;
  permissions: string[];
  accounts: string[];
  cancel: string;
} {
  const form = new URLSearchParams();
  form.set("workspace", /name="workspace" value="([^"]+)"/.exec(text)?.[1] ?? "");
  const boxes = [...text.matchAll(/<input type="checkbox" name="(\w+)" value="([^"]+)"( checked="")?/g)];
  for (const [, name = "", value = "", checked] of boxes) if (checked !== undefined) form.append(name, value);
  const list = (wanted: string) => boxes.filter(([, name]) => name === wanted).map(([, , value = ""]) => value);
  const cancel = (/href="([^"]+)"[^>]*>\s*Cancel/.exec(text)?.[1] ?? "").replaceAll("&amp;", "&");
  return { form, permissions: list("permissions"), accounts: list("accounts"), cancel };
}

/** Consents to what is ticked, and returns where the browser is sent. */
export async function consent(
  browser: Browser,
  attempt: Attempt,
  changes: Record<string, string[]> = {},
): Promise<URL> {
  const page = await browser.visit(attempt.path);
  if (page.status !== 200) throw new Error(`the consent responded with ${page.status}: ${page.text}`);
  const { form } = readConsent(page.text);
  for (const [name, values] of Object.entries(changes)) {
    form.delete(name);
    for (const value of values) form.append(name, value);
  }
  const sent = await browser.visit(attempt.path, { form });
  if (sent.status !== 303) throw new Error(`the form responded with ${sent.status}: ${sent.text}`);
  return new URL(sent.headers.get("location") ?? "");
}

export async function exchange(program: Program, attempt: Attempt, address: URL) {
  const { server, client, redirectUri, options } = program;
  const parameters = oauth.validateAuthResponse(server, client, address, attempt.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    PUBLIC,
    parameters,
    redirectUri,
    attempt.verifier,
    options,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

export async function refresh({ server, client, options }: Program, token: string) {
  const response = await oauth.refreshTokenGrantRequest(server, client, PUBLIC, token, options);
  return oauth.processRefreshTokenResponse(server, client, response);
}

export interface Granted {
  tenant: Tenant;
  browser: Browser;
  program: Program;
  attempt: Attempt;
  address: URL;
  accessToken: string;
  refreshToken: string;
  scope: string;
}

/** The whole flow, for the owner of a new workspace. */
export async function createGranted(
  parameters: Record<string, string | null> = {},
  changes: Record<string, string[]> = {},
  prepare: (tenant: Tenant) => Promise<unknown> = async () => undefined,
): Promise<Granted> {
  const tenant = await createTestTenant();
  await prepare(tenant);
  const [browser, program] = [await signInOwner(tenant), await createProgram()];
  const attempt = await startAttempt(program, parameters);
  const address = await consent(browser, attempt, changes);
  const tokens = await exchange(program, attempt, address);
  const { access_token: accessToken, refresh_token: refreshToken = "", scope = "" } = tokens;
  return { tenant, browser, program, attempt, address, accessToken, refreshToken, scope };
}
