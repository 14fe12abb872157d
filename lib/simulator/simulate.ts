// One call of a simulated network in a test scope: its state is loaded, the network answers, and the state is stored again.
import { isUuid } from "../shared/ids.ts";
import { forceOutcomes } from "./force-outcomes.ts";
import { limitState } from "./limit-state.ts";
import { createContext, type StoredState, type Timing } from "./networks/context.ts";
import { openNetwork } from "./networks/index.ts";
import type { NetworkRequest, NetworkResponse, SimulatedNetwork } from "./networks/network.ts";
import { NETWORK_NAMES, type NetworkName } from "./outcomes.ts";
import { fetchOwnMedia } from "./own-media.ts";
import { virtualAccounts } from "./virtual-accounts.ts";

export interface StateStore {
  load(scopeId: string, network: NetworkName): Promise<{ state: StoredState; version: number } | null>;
  /** False when the state has another version than this one; 0 is the version of a state that does not exist. */
  save(scopeId: string, network: NetworkName, state: StoredState, version: number): Promise<boolean>;
}

export interface SimulatorPorts {
  store: StateStore;
  fetch: typeof fetch;
  /** The origins of our own files, which a network may read; it takes the word of the post for others. */
  mediaOrigins: readonly string[];
  /** Waits between two tries to store. */
  pause(ms: number): Promise<unknown>;
}

const ORIGIN = "https://simulator.internal";

/** Networks answer at once; `[sandbox:slow]` takes longer. */
const TIMING: Timing = { processingMs: 0, processingPolls: 0, publicIdDelayMs: 0 };

/**
 * A Worker has 128 MB for the request and what is read from it, and a form is copied twice. Drivers send larger files in parts,
 * except to Pinterest, which takes a video as one form.
 */
const MAX_BODY_BYTES = 64_000_000;
const MAX_FORM_BYTES = 24_000_000;
const FIRST_BUFFER_BYTES = 64 * 1024;

/** Calls of one account at the same time store one after another. */
const MAX_TRIES = 30;
const MAX_PAUSE_MS = 250;

/** `https://simulator.internal/<network>/<path>`, with the headers `X-Sandbox-Scope`, `X-Sandbox-Now` and `X-Sandbox-Resets`. */
export async function simulate(incoming: Request, ports: SimulatorPorts): Promise<Response> {
  const url = new URL(incoming.url);
  const [, prefix = ""] = url.pathname.split("/");
  const name = NETWORK_NAMES.find((network) => network === prefix);
  const scopeId = incoming.headers.get("x-sandbox-scope") ?? "";
  const now = Date.parse(incoming.headers.get("x-sandbox-now") ?? "");
  const resets = Number(incoming.headers.get("x-sandbox-resets") ?? 0);
  if (!name) return refuse(404, `The path begins with one of ${NETWORK_NAMES.join(", ")}.`);
  if (!isUuid(scopeId)) return refuse(400, "X-Sandbox-Scope is the id of a test scope.");
  if (Number.isNaN(now)) return refuse(400, "X-Sandbox-Now is a time in ISO 8601.");
  const body = await readBody(incoming);
  if (!body) {
    const most = `${MAX_BODY_BYTES} bytes, a form ${MAX_FORM_BYTES}`;
    return refuse(413, `In test mode a request to a network has at most ${most}.`);
  }
  const headers = new Headers(incoming.headers);
  // Calls of a binding send streams without their length.
  if (body.length > 0) headers.set("content-length", String(body.length));
  const request: NetworkRequest = {
    ...{ method: incoming.method, query: url.searchParams, headers, body },
    path: url.pathname.slice(prefix.length + 1),
    baseUrl: `${ORIGIN}/${name}`,
  };
  return toResponse(await answer(name, { scopeId, now, resets }, request, ports));
}

async function answer(
  name: NetworkName,
  { scopeId, now, resets }: { scopeId: string; now: number; resets: number },
  request: NetworkRequest,
  { store, fetch, mediaOrigins, pause }: SimulatorPorts,
): Promise<NetworkResponse> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const stored = await store.load(scopeId, name);
    const state = stored?.state.resets === resets ? stored.state : null;
    const { context, save } = createContext({
      timing: { ...TIMING },
      now: () => now,
      fetchMedia: (url, kind) => fetchOwnMedia({ fetch, mediaOrigins }, url, kind),
      stored: state,
    });
    const network = forceOutcomes(context, openNetwork(name, context, { secret: null }));
    if (!state) registerAccounts(network, scopeId);
    const before = state ? limitState({ ...save(), resets }).json : null;
    const call = network.matchCall(request);
    if (call === null) return { status: 404, body: { error: "Unknown endpoint." } };
    const response = await network.handle(call, request);
    const after = limitState({ ...save(), resets });
    const isUnchanged = before === after.json;
    if (isUnchanged || (await store.save(scopeId, name, after.state, stored?.version ?? 0))) return response;
    await pause(Math.random() * Math.min(MAX_PAUSE_MS, 10 * 2 ** tries));
  }
  // Nothing was stored, so a client may try again.
  return { status: 503, body: { error: "Too many calls at the same time." } };
}

function registerAccounts(network: SimulatedNetwork, scopeId: string): void {
  for (const { platform, accessToken, refreshToken, grantedScopes, ...account } of virtualAccounts(scopeId)) {
    if (platform !== network.platform || accessToken === null || grantedScopes === null) continue;
    const { externalId, username, facts } = account;
    network.register({
      ...{ platform, externalId, username, facts, accessToken, refreshToken },
      scopes: grantedScopes,
    });
  }
}

/** Null for a body that is too large. */
async function readBody({ headers, body }: Request): Promise<Buffer | null> {
  const isForm = /^multipart\//.test(headers.get("content-type") ?? "");
  const most = isForm ? MAX_FORM_BYTES : MAX_BODY_BYTES;
  const announced = Number(headers.get("content-length") ?? 0);
  if (announced > most) return null;
  let buffer = Buffer.alloc(announced || FIRST_BUFFER_BYTES);
  let bytes = 0;
  for await (const chunk of body ?? []) {
    const end = bytes + chunk.length;
    if (end > most) return null;
    if (end > buffer.length) buffer = Buffer.concat([buffer], Math.min(most, Math.max(end, 2 * buffer.length)));
    buffer.set(chunk, bytes);
    bytes = end;
  }
  return buffer.subarray(0, bytes);
}

function toResponse({ status, body, html, headers }: NetworkResponse): Response {
  const text = html ?? (body === undefined ? null : JSON.stringify(body));
  const type = html === undefined ? "application/json" : "text/html";
  const isEmpty = [204, 304].includes(status);
  return new Response(isEmpty ? null : text, {
    status,
    headers: { "content-type": `${type}; charset=utf-8`, ...headers },
  });
}

function refuse(status: number, error: string): Response {
  return Response.json({ error }, { status });
}
