// Stand-ins for the social networks on one HTTP server: each under its own prefix, with levers for tests.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PLATFORMS } from "../../../lib/platforms/platform.ts";
import { createScripts, readScript, type Script } from "./behave.ts";
import { blueskyStandIn } from "./bluesky.ts";
import { facebookStandIn } from "./facebook.ts";
import { hostedStandIn } from "./hosted.ts";
import { instagramStandIn } from "./instagram.ts";
import { linkedinStandIn } from "./linkedin.ts";
import type { Answer, Incoming, Network, NetworkAccount, Pace, PublishedItem } from "./network.ts";
import { pinterestStandIn } from "./pinterest.ts";
import { threadsStandIn } from "./threads.ts";
import { tiktokStandIn } from "./tiktok.ts";
import { twitterStandIn } from "./twitter.ts";
import { youtubeStandIn } from "./youtube.ts";

export type { NetworkAccount, Pace, PublishedItem } from "./network.ts";

export interface NetworksOptions {
  port?: number;
  host?: string;
  accounts?: readonly NetworkAccount[];
  pace?: Partial<Pace>;
  /** What the fleet of hosted accounts signs with; without it nobody can. */
  fleetSecret?: string;
}

export interface LogEntry {
  network: string;
  call: string | null;
  method: string;
  path: string;
  account: string | null;
  status: number | "dropped";
  at: string;
}

export interface Networks {
  url: string;
  register(...accounts: NetworkAccount[]): void;
  published(): Record<string, PublishedItem[]>;
  behave(script: Omit<Script, "times"> & { times?: number }): void;
  log(): LogEntry[];
  close(): Promise<void>;
}

const PACE: Pace = { processingMs: 50, processingPolls: 0, namingMs: 0 };
const STALL_MS = 60_000;
const LOG_LENGTH = 5_000;

export async function startNetworks(options: NetworksOptions): Promise<Networks> {
  const pace = { ...PACE, ...options.pace };
  const networks = new Map<string, Network>(
    [
      tiktokStandIn(pace),
      instagramStandIn(pace),
      threadsStandIn(pace),
      facebookStandIn(pace),
      youtubeStandIn(pace),
      linkedinStandIn(pace),
      twitterStandIn(pace),
      blueskyStandIn(pace),
      pinterestStandIn(pace),
      hostedStandIn(pace, options.fleetSecret ?? randomBytes(32).toString("hex")),
    ].map((network) => [network.platform, network]),
  );
  const scripts = createScripts();
  const log: LogEntry[] = [];
  const register = (...accounts: NetworkAccount[]) => {
    for (const account of accounts) networks.get(account.platform)?.register(account);
  };
  register(...(options.accounts ?? []));
  const levers = createLevers({ networks, scripts, log, register });

  const server = createServer((req, res) => {
    receive(req, res).catch((error: unknown) => {
      if (!res.headersSent) send(res, { status: 500, body: { error: String(error) } });
    });
  });

  async function receive(req: IncomingMessage, res: ServerResponse) {
    const url = new URL(req.url ?? "/", `http://${req.headers.host ?? "localhost"}`);
    const body = await readBody(req);
    const [, prefix = ""] = url.pathname.split("/");
    const network = networks.get(prefix);
    if (!network) return send(res, levers(req.method ?? "GET", url.pathname, body, url.searchParams));
    const request: Incoming = {
      method: req.method ?? "GET",
      path: url.pathname.slice(prefix.length + 1),
      query: url.searchParams,
      headers: headersOf(req),
      body,
      self: `${url.origin}/${prefix}`,
    };
    await serve(network, request, res);
  }

  async function serve(network: Network, request: Incoming, res: ServerResponse) {
    const call = network.callOf(request);
    const account = network.accountOf(request);
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
    if (log.length > LOG_LENGTH) log.shift();
    if (script?.answer === "drop_before") return void res.destroy();
    const answer = await answerOf(network, call, script, request);
    if (script?.answer === "stall") await held(res, script.ms ?? STALL_MS);
    if (script?.answer === "drop_after" || res.destroyed) return void res.destroy();
    entry.status = answer.status;
    send(res, answer);
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host ?? "127.0.0.1"}:${port}`,
    register,
    published: () => publishedBy(networks),
    behave: (script) => scripts.add({ times: 1, ...script }),
    log: () => [...log],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Holds an answer back; ends early when the caller has gone, so that nothing outlives the server. */
function held(res: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    res.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function answerOf(network: Network, call: string | null, script: Script | null, request: Incoming) {
  if (script?.answer === "refuse" || script?.answer === "429" || script?.answer === "500") {
    return network.refusal(script.answer, script.code, request);
  }
  return call === null ? { status: 404, body: { error: "No such call." } } : network.answer(call, request);
}

function publishedBy(networks: ReadonlyMap<string, Network>): Record<string, PublishedItem[]> {
  return Object.fromEntries([...networks].map(([name, network]) => [name, [...network.published]]));
}

interface World {
  networks: ReadonlyMap<string, Network>;
  scripts: ReturnType<typeof createScripts>;
  log: LogEntry[];
  register: (...accounts: NetworkAccount[]) => void;
}

function createLevers({ networks, scripts, log, register }: World) {
  const doors: Record<string, (body: unknown, query: URLSearchParams) => Answer> = {
    "GET /_published": (_body, query) => {
      const all = publishedBy(networks);
      const one = query.get("network");
      return { status: 200, body: one === null ? all : { [one]: all[one] ?? [] } };
    },
    "DELETE /_published": () => {
      for (const network of networks.values()) network.published.length = 0;
      return { status: 200, body: { ok: true } };
    },
    "POST /_behave": (body) => {
      const script = readScript(body, networks);
      if (typeof script === "string") return refused(script);
      scripts.add(script);
      return { status: 200, body: { ok: true, pending: scripts.pending() } };
    },
    "GET /_behave": () => ({ status: 200, body: { pending: scripts.pending() } }),
    "DELETE /_behave": () => {
      scripts.clear();
      return { status: 200, body: { ok: true } };
    },
    "PUT /_accounts": (body) => {
      const accounts = Array.isArray(body) ? body : [body];
      const wrong = accounts.map(accountFault).find((fault) => fault !== null);
      if (wrong) return refused(wrong);
      register(...(accounts as NetworkAccount[]));
      return { status: 200, body: { ok: true, registered: accounts.length } };
    },
    "GET /_log": (_body, query) => {
      const one = query.get("network");
      return { status: 200, body: { calls: log.filter((entry) => one === null || entry.network === one) } };
    },
    "DELETE /_log": () => {
      log.length = 0;
      return { status: 200, body: { ok: true } };
    },
  };
  return (method: string, path: string, body: Buffer, query: URLSearchParams): Answer => {
    const door = doors[`${method} ${path}`];
    if (!door) return { status: 404, body: { error: `No such door. There are: ${Object.keys(doors).join(", ")}.` } };
    if (body.length === 0) return door(undefined, query);
    try {
      return door(JSON.parse(body.toString("utf8")), query);
    } catch {
      return refused("The body is no JSON.");
    }
  };
}

function refused(message: string): Answer {
  return { status: 422, body: { error: message } };
}

function accountFault(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return "An account is a JSON object.";
  const account = value as Partial<NetworkAccount>;
  if (!PLATFORMS.some((platform) => platform === account.platform)) return "platform must name a network.";
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

function headersOf(req: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return headers;
}

function send(res: ServerResponse, answer: Answer): void {
  const text = answer.body === undefined ? "" : JSON.stringify(answer.body);
  res.writeHead(answer.status, { "content-type": "application/json; charset=utf-8", ...answer.headers });
  res.end(text);
}
