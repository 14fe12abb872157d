// Fakes of the social networks on one HTTP server, each under its own path prefix, with control endpoints for tests.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PLATFORMS } from "../../../lib/shared/platforms.ts";
import { createContext, type Timing } from "../../../lib/simulator/networks/context.ts";
import { fetchMedia } from "../../../lib/simulator/networks/fetch-media.ts";
import { openNetwork } from "../../../lib/simulator/networks/index.ts";
import type {
  NetworkAccount,
  NetworkRequest,
  NetworkResponse,
  PublishedItem,
  SimulatedNetwork,
} from "../../../lib/simulator/networks/network.ts";
import { NETWORK_NAMES, type NetworkName } from "../../../lib/simulator/outcomes.ts";
import { checkExchange } from "../../network-references/check.ts";
import { type Apps, createApps, type FakeApp } from "./apps.ts";
import { withConsent } from "./consent/with-consent.ts";
import { createScriptQueue, parseScript, type Script } from "./scripts.ts";

export type { Timing } from "../../../lib/simulator/networks/context.ts";
export type { NetworkAccount, PublishedItem } from "../../../lib/simulator/networks/network.ts";

export interface NetworksOptions {
  port?: number;
  host?: string;
  accounts?: readonly NetworkAccount[];
  timing?: Partial<Timing>;
  /** The signing secret of the hosted publisher; a random one by default. */
  hostedSecret?: string;
}

export interface LogEntry {
  network: string;
  call: string | null;
  method: string;
  path: string;
  account: string | null;
  status: number | "dropped";
  at: string;
  /** Parts of the request, or of the fake's response, that the network's reference does not know. */
  mismatches?: string[];
}

export interface Networks {
  url: string;
  register(...accounts: NetworkAccount[]): void;
  /** Adds an app, or replaces one: what its products may ask for. */
  registerApp(app: FakeApp): void;
  published(): Record<string, PublishedItem[]>;
  addScript(script: Omit<Script, "times"> & { times?: number }): void;
  log(): LogEntry[];
  close(): Promise<void>;
}

const DEFAULT_TIMING: Timing = { processingMs: 50, processingPolls: 0, publicIdDelayMs: 0 };
const STALL_MS = 60_000;
const MAX_LOG_ENTRIES = 5_000;

export function createFakes(timing: Timing, hostedSecret: string, apps: Apps): SimulatedNetwork[] {
  return NETWORK_NAMES.map((name) => withConsent(openLocalNetwork(name, timing, hostedSecret), apps));
}

/** A network whose state lives as long as this process. */
export function openLocalNetwork(name: NetworkName, timing: Timing, hostedSecret = ""): SimulatedNetwork {
  const { context } = createContext({ timing, now: () => Date.now(), fetchMedia: (url) => fetchMedia(fetch, url) });
  return openNetwork(name, context, {
    secret: hostedSecret,
    callbacks: {
      later: (afterMs, run) => void setTimeout(run, afterMs).unref(),
      send: (url, body, headers) => fetch(url, { method: "POST", body, headers, signal: AbortSignal.timeout(5_000) }),
    },
  });
}

export async function startNetworks(options: NetworksOptions): Promise<Networks> {
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const apps = createApps();
  const fakes = createFakes(timing, options.hostedSecret ?? randomBytes(32).toString("hex"), apps);
  const networks = new Map<string, SimulatedNetwork>(fakes.map((network) => [network.platform, network]));
  const scripts = createScriptQueue();
  const log: LogEntry[] = [];
  const register = (...accounts: NetworkAccount[]) => {
    for (const account of accounts) networks.get(account.platform)?.register(account);
  };
  register(...(options.accounts ?? []));
  const handleControl = createControlEndpoints({ networks, scripts, log, register, registerApp: apps.register });

  const server = createServer((req, res) => {
    handleRequest(req, res).catch((error: unknown) => {
      if (!res.headersSent) sendResponse(res, { status: 500, body: { error: String(error) } });
    });
  });

  async function handleRequest(req: IncomingMessage, res: ServerResponse) {
    const url = new URL(req.url ?? "/", `http://${req.headers.host ?? "localhost"}`);
    const body = await readBody(req);
    const [, prefix = ""] = url.pathname.split("/");
    const network = networks.get(prefix);
    if (!network) return sendResponse(res, handleControl(req.method ?? "GET", url.pathname, body, url.searchParams));
    const request: NetworkRequest = {
      method: req.method ?? "GET",
      path: url.pathname.slice(prefix.length + 1),
      query: url.searchParams,
      headers: toHeaders(req),
      body,
      baseUrl: `${url.origin}/${prefix}`,
    };
    await handleNetworkRequest(network, request, res);
  }

  async function handleNetworkRequest(network: SimulatedNetwork, request: NetworkRequest, res: ServerResponse) {
    const call = network.matchCall(request);
    const account = network.findAccount(request)?.externalId ?? null;
    const script = call === null ? null : scripts.take(network, call, account);
    const entry: LogEntry = {
      network: network.platform,
      call,
      method: request.method,
      path: request.path,
      account,
      status: "dropped",
      at: new Date().toISOString(),
    };
    log.push(entry);
    if (log.length > MAX_LOG_ENTRIES) log.shift();
    if (script?.answer === "drop_before") return void res.destroy();
    const response = await getResponse(network, call, script, request);
    const scripted = ["refuse", "429", "500"].includes(script?.answer ?? "");
    const reference = call !== null && network.isConsentCall?.(call) ? `${network.platform}/consent` : network.platform;
    const found = await checkExchange({ network: reference, ...request, ...(scripted ? {} : { response }) });
    if (found.length > 0) entry.mismatches = found;
    if (script?.answer === "stall") await holdResponse(res, script.ms ?? STALL_MS);
    if (script?.answer === "drop_after" || res.destroyed) return void res.destroy();
    entry.status = response.status;
    sendResponse(res, response);
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host ?? "127.0.0.1"}:${port}`,
    register,
    registerApp: apps.register,
    published: () => listPublished(networks),
    addScript: (script) => scripts.add({ times: 1, ...script }),
    log: () => [...log],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Delays a response; resolves early when the client disconnects, so that no timer outlives the server. */
function holdResponse(res: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    res.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function getResponse(
  network: SimulatedNetwork,
  call: string | null,
  script: Script | null,
  request: NetworkRequest,
) {
  if (script?.answer === "refuse" || script?.answer === "429" || script?.answer === "500") {
    return network.buildScriptedError(script.answer, script.code, request);
  }
  return call === null ? { status: 404, body: { error: "Unknown endpoint." } } : network.handle(call, request);
}

function listPublished(networks: ReadonlyMap<string, SimulatedNetwork>): Record<string, PublishedItem[]> {
  return Object.fromEntries([...networks].map(([name, network]) => [name, [...network.published]]));
}

interface ControlContext {
  networks: ReadonlyMap<string, SimulatedNetwork>;
  scripts: ReturnType<typeof createScriptQueue>;
  log: LogEntry[];
  register: (...accounts: NetworkAccount[]) => void;
  registerApp: (app: FakeApp) => void;
}

function createControlEndpoints({ networks, scripts, log, register, registerApp }: ControlContext) {
  const endpoints: Record<string, (body: unknown, query: URLSearchParams) => NetworkResponse> = {
    "GET /_published": (_body, query) => {
      const all = listPublished(networks);
      const name = query.get("network");
      return { status: 200, body: name === null ? all : { [name]: all[name] ?? [] } };
    },
    "DELETE /_published": (_body, query) => {
      const account = query.get("account");
      const isKept = (item: PublishedItem) => account !== null && item.account !== account;
      for (const { published } of networks.values()) published.splice(0, Infinity, ...published.filter(isKept));
      return { status: 200, body: { ok: true } };
    },
    "POST /_behave": (body) => {
      const script = parseScript(body, networks);
      if (typeof script === "string") return toValidationError(script);
      scripts.add(script);
      return { status: 200, body: { ok: true, pending: scripts.pending() } };
    },
    "GET /_behave": () => ({ status: 200, body: { pending: scripts.pending() } }),
    "DELETE /_behave": (_body, query) => {
      scripts.clear(query.get("account"));
      return { status: 200, body: { ok: true } };
    },
    "PUT /_accounts": (body) => {
      const accounts = Array.isArray(body) ? body : [body];
      const accountError = accounts.map(findAccountError).find((error) => error !== null);
      if (accountError) return toValidationError(accountError);
      register(...(accounts as NetworkAccount[]));
      return { status: 200, body: { ok: true, registered: accounts.length } };
    },
    "PUT /_apps": (body) => {
      const app = body as Partial<FakeApp>;
      if (typeof app?.id !== "string" || typeof app.secret !== "string")
        return toValidationError("id and secret must be strings.");
      registerApp(app as FakeApp);
      return { status: 200, body: { ok: true } };
    },
    "GET /_log": (_body, query) => {
      const name = query.get("network");
      return { status: 200, body: { calls: log.filter((entry) => name === null || entry.network === name) } };
    },
    "DELETE /_log": () => {
      log.length = 0;
      return { status: 200, body: { ok: true } };
    },
  };
  return (method: string, path: string, body: Buffer, query: URLSearchParams): NetworkResponse => {
    const endpoint = endpoints[`${method} ${path}`];
    if (!endpoint)
      return { status: 404, body: { error: `Unknown endpoint. Supported: ${Object.keys(endpoints).join(", ")}.` } };
    if (body.length === 0) return endpoint(undefined, query);
    try {
      return endpoint(JSON.parse(body.toString("utf8")), query);
    } catch {
      return toValidationError("The body is not valid JSON.");
    }
  };
}

function toValidationError(message: string): NetworkResponse {
  return { status: 422, body: { error: message } };
}

function findAccountError(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return "An account must be a JSON object.";
  const account = value as Partial<NetworkAccount>;
  if (!PLATFORMS.some((platform) => platform === account.platform))
    return `platform must be one of ${PLATFORMS.join(", ")}.`;
  if (typeof account.externalId !== "string" || typeof account.accessToken !== "string") {
    return "externalId and accessToken must be strings.";
  }
  return null;
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function toHeaders(req: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return headers;
}

function sendResponse(res: ServerResponse, response: NetworkResponse): void {
  const text = response.html ?? (response.body === undefined ? "" : JSON.stringify(response.body));
  const type = response.html === undefined ? "application/json" : "text/html";
  res.writeHead(response.status, { "content-type": `${type}; charset=utf-8`, ...response.headers });
  res.end(text);
}
