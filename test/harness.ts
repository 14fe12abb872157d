// What tests share: the Worker called in this process, a fresh tenant per test, and a publisher whose clock is ours.
import { randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import { inject } from "vitest";
import worker from "../functions/index.ts";
import { openWorld, type World } from "../lib/call.ts";
import { connect, type Db, rowsOf } from "../lib/db.ts";
import type { DeliveryNudge, RefreshNudge } from "../lib/env.ts";
import { BASE_PATH } from "../lib/paths.ts";
import type { Platform } from "../lib/platforms/platform.ts";
import * as tenants from "../lib/queries/tenants.ts";
import { seal } from "../lib/secrets.ts";
import type { NetworkAccount } from "./local/networks/server.ts";

export const vars = inject("vars");
const networksUrl = inject("networks");

export function database(): Db {
  return connect({ DATABASE_URL: vars.DATABASE_URL ?? "", DATABASE_FETCH_URL: vars.DATABASE_FETCH_URL }, "test");
}

/** Rows of a raw statement, for looking where no endpoint shows. */
export async function rows<Row>(statement: Parameters<Db["execute"]>[0]): Promise<Row[]> {
  return rowsOf<Row>(await database().execute(statement));
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever an answer holds and assert on it.
  body: any;
}

export interface Options {
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  raw?: string;
  headers?: Record<string, string>;
  env?: Record<string, unknown>;
}

/** Messages that the Worker put on its queue, oldest first. */
export interface Nudged {
  deliveryIds: string[];
  delaySeconds: number;
}

/** Messages of the queue of refreshes, likewise. */
export interface Refreshed {
  refreshIds: string[];
  delaySeconds: number;
}

/** The media Worker, loaded when the first bytes are looked at. */
const MEDIA = {
  async fetch(address: string, init: RequestInit) {
    const { default: worker } = await import("../functions/media/worker.ts");
    return worker.fetch(new Request(address, init));
  },
};

/** The drawing Worker, loaded when the first slide is drawn. */
const DRAW = {
  async fetch(address: string, init: RequestInit) {
    const { draw } = await import("./drawing/worker.ts");
    return draw(new Request(address, init));
  },
};

export function bindings(nudged: Nudged[], refreshed: Refreshed[] = []): Record<string, unknown> {
  const DELIVERIES = {
    async send({ deliveryIds }: DeliveryNudge, { delaySeconds = 0 }: { delaySeconds?: number } = {}) {
      nudged.push({ deliveryIds, delaySeconds });
    },
  };
  const REFRESHES = {
    async send({ refreshIds }: RefreshNudge, { delaySeconds = 0 }: { delaySeconds?: number } = {}) {
      refreshed.push({ refreshIds, delaySeconds });
    },
  };
  return { ...vars, DELIVERIES, REFRESHES, DRAW, MEDIA };
}

/** A client of the API with one key. `nudged` and `refreshed` collect what its requests put on the queues. */
export function client(token: string | null) {
  const nudged: Nudged[] = [];
  const refreshed: Refreshed[] = [];
  const own = bindings(nudged, refreshed);

  async function call(method: string, path: string, { body, raw, headers, env }: Options = {}): Promise<Answer> {
    const pending: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>) => pending.push(work), passThroughOnException() {} };
    const request = new Request(`http://api.test${path.startsWith("/api/") ? path : BASE_PATH + path}`, {
      method,
      headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...headers },
      body: raw ?? (body === undefined ? null : JSON.stringify(body)),
    });
    const answer = await worker.fetch(request, { ...own, ...env }, context as unknown as ExecutionContext);
    await Promise.all(pending);
    const text = await answer.text();
    const told = text ? JSON.parse(text) : null;
    globalThis.noteRefusal?.(request, answer.status, told?.error_code);
    return { status: answer.status, headers: answer.headers, body: told };
  }

  return {
    nudged,
    refreshed,
    call,
    get: (path: string, options?: Options) => call("GET", path, options),
    post: (path: string, body?: unknown, headers?: Record<string, string>) =>
      call("POST", path, { body, ...(headers ? { headers } : {}) }),
    patch: (path: string, body?: unknown) => call("PATCH", path, { body }),
    delete: (path: string) => call("DELETE", path),
  };
}

export type Client = ReturnType<typeof client>;

export interface Tenant extends tenants.Tenant {
  token: string;
  api: Client;
}

interface TenantOptions {
  personal?: boolean;
  plan?: tenants.Plan | null;
  expiresAt?: Date;
  kind?: "key" | "grant";
}

const PAID: tenants.Plan = { tier: "professional", status: "active", paidUntil: null };

/** A new owner, workspace and key that no other test knows. */
export async function mintTenant(options: TenantOptions = {}): Promise<Tenant> {
  const db = database();
  const owner = await tenants.createOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
  const tenant = options.personal
    ? owner
    : await tenants.createWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Test" });
  const plan = options.plan === undefined ? PAID : options.plan;
  if (plan) await tenants.setPlan(db, tenant, newId(), plan);
  const token = await mintKey(tenant, options);
  return { ...tenant, token, api: client(token) };
}

export function mintKey(tenant: tenants.Tenant, { expiresAt, kind }: TenantOptions = {}): Promise<string> {
  const key = { id: newId(), name: "test", kind: kind ?? ("key" as const), expiresAt: expiresAt ?? null };
  return tenants.createKey(database(), tenant, key);
}

export interface MintedAccount {
  id: string;
  platform: Platform;
  username: string;
  externalId: string;
  accessToken: string;
}

interface AccountOptions {
  type?: "byo" | "hosted";
  status?: "active" | "paused";
  facts?: NetworkAccount["facts"];
  tokenExpiresAt?: Date;
}

/** A connected account that its network's stand-in knows too. */
export async function mintAccount(
  tenant: tenants.Tenant,
  platform: Platform,
  options: AccountOptions = {},
): Promise<MintedAccount> {
  const id = newId();
  const [accessToken, refreshToken] = [randomBytes(18).toString("hex"), randomBytes(18).toString("hex")];
  const externalId = String(randomBytes(6).readUIntBE(0, 6));
  const username = `user${externalId}`;
  await tenants.connectAccount(database(), tenant, {
    id,
    platform,
    type: options.type ?? "byo",
    status: options.status ?? "active",
    username,
    displayName: username,
    externalId,
    accessToken: await seal(vars.TOKEN_KEY ?? "", accessToken),
    refreshToken: await seal(vars.TOKEN_KEY ?? "", refreshToken),
    tokenExpiresAt: options.tokenExpiresAt ?? null,
  });
  const facts = options.facts ? { facts: options.facts } : {};
  await lever("PUT", "/_accounts", { platform, externalId, accessToken, refreshToken, username, ...facts });
  return { id, platform, username, externalId, accessToken };
}

/** Pulls a lever of the networks' stand-ins. */
export async function lever<Result>(method: string, path: string, body?: unknown): Promise<Result> {
  const answer = await fetch(`${networksUrl}${path}`, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const result = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(result)}`);
  return result as Result;
}

/** What reached a network for one account. */
export async function publishedFor(
  account: MintedAccount,
): Promise<{ id: string; caption?: string; url: string | null }[]> {
  const all = await lever<Record<string, { account: string; id: string; url: string | null }[]>>("GET", "/_published");
  return (all[account.platform] ?? []).filter((item) => item.account === account.externalId);
}

export interface Publisher {
  world: World;
  nudged: Nudged[];
  refreshed: Refreshed[];
  /** Moves the clock. */
  pass(ms: number): void;
}

/** The publisher's world with a clock of its own; `change` swaps parts of it, such as a fetch that fails. */
export function publisher(start: Date, change: Partial<World> = {}): Publisher {
  const nudged: Nudged[] = [];
  const refreshed: Refreshed[] = [];
  let now = start.getTime();
  const opened = openWorld(bindings(nudged, refreshed), `queue.${newId()}`, (work) => void work.catch(() => undefined));
  const pass = (ms: number) => {
    now += ms;
  };
  return { world: { ...opened, clock: () => new Date(now), ...change }, nudged, refreshed, pass };
}
