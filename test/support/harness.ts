// Shared test helpers: the Worker called in process, a new tenant per test, and services with a controllable clock.
import { randomBytes } from "node:crypto";
import { v7 as newId } from "uuid";
import { inject } from "vitest";
import worker from "../../functions/index.ts";
import {
  insertAccount,
  insertKey,
  insertOwner,
  insertWorkspace,
  type KeyKind,
  type Plan,
  savePlan,
  type TenantIds,
} from "../../lib/queries/tenants.ts";
import { openServices, type Services } from "../../lib/services/context.ts";
import { type Db, openCommandDatabase, openDatabase } from "../../lib/services/database.ts";
import type { DeliveriesMessage, RefreshesMessage, WebhooksMessage } from "../../lib/services/env.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import type { Permission } from "../../lib/shared/permissions.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import { encryptTokens } from "../../lib/shared/token-encryption.ts";
import type { WorkKind } from "../../lib/shared/work-kinds.ts";
import { toExternalId } from "../../lib/simulator/networks/network.ts";
import type { NetworkAccount } from "../local/networks/server.ts";
import { connectRedis } from "../local/redis-client.ts";
import { createSimulator } from "../sandbox/simulator.ts";
import { createQueue } from "./queue.ts";
import { toRows } from "./rows.ts";

/** The settings of a Worker. */
export const vars: Record<string, string> = { ...inject("vars"), ...globalThis.workerDatabase };
const networksUrl = inject("networks");

const DATABASE = { DATABASE_URL: vars.DATABASE_URL ?? "", DATABASE_FETCH_URL: vars.DATABASE_FETCH_URL };

export const openTestDatabase = (): Db => openDatabase(DATABASE, "test");

/** With the commands that the service does not send. */
export const openTestRedis = () => connectRedis(vars.UPSTASH_REDIS_REST_URL ?? "", vars.UPSTASH_REDIS_REST_TOKEN ?? "");

/** The rows of a raw statement, for state that no endpoint returns. Large ones may take longer than a request waits. */
export async function queryRows<Row>(statement: Parameters<Db["execute"]>[0]): Promise<Row[]> {
  return toRows<Row>(await openCommandDatabase(DATABASE, "test").execute(statement));
}

export interface TestResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response and assert on it.
  body: any;
  /** Until the response, without work that goes on after it. */
  responseMs: number;
}

export interface RequestOptions {
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string;
  headers?: Record<string, string>;
  env?: Record<string, unknown>;
  /** The same object in several requests, so that they share what an isolate keeps. */
  bindings?: Record<string, unknown>;
}

/** A message that the Worker sent to a queue of deliveries. */
export interface EnqueuedDeliveries {
  deliveryIds: string[];
  kind?: WorkKind;
  delaySeconds: number;
}

/** A message that the Worker sent to the refreshes queue. */
export interface EnqueuedRefreshes {
  refreshIds: string[];
  delaySeconds: number;
}

/** A message that the Worker sent to the webhooks queue. */
export type EnqueuedWebhooks = WebhooksMessage & { delaySeconds: number };

/** The media Worker, loaded on first use. */
const MEDIA_WORKER = {
  async fetch(address: string, init: RequestInit) {
    const { default: worker } = await import("../../functions/media/worker.ts");
    return worker.fetch(new Request(address, init));
  },
};

/** The rendering Worker, loaded on first use. */
const RENDERING_WORKER = {
  async fetch(address: string, init: RequestInit) {
    const { callRenderingWorker } = await import("../rendering/worker.ts");
    return callRenderingWorker(new Request(address, init));
  },
};

export function createBindings(
  enqueuedDeliveries: EnqueuedDeliveries[],
  enqueuedRefreshes: EnqueuedRefreshes[] = [],
  enqueuedWebhooks: EnqueuedWebhooks[] = [],
): Record<string, unknown> {
  const DELIVERIES = createQueue<DeliveriesMessage>((sent) => enqueuedDeliveries.push(sent));
  const [UPLOADS, CONFIRMATIONS] = [DELIVERIES, DELIVERIES];
  const REFRESHES = createQueue<RefreshesMessage>((sent) => enqueuedRefreshes.push(sent));
  const WEBHOOKS = createQueue<WebhooksMessage>((sent) => enqueuedWebhooks.push(sent));
  const queues = { DELIVERIES, UPLOADS, CONFIRMATIONS, REFRESHES, WEBHOOKS };
  return { ...vars, ...queues, DRAW: RENDERING_WORKER, MEDIA: MEDIA_WORKER, SIMULATOR: createSimulator() };
}

/** A client of the API with one key. `enqueuedDeliveries` and its like collect its queue messages. */
export function createClient(token: string | null) {
  const enqueuedDeliveries: EnqueuedDeliveries[] = [];
  const enqueuedRefreshes: EnqueuedRefreshes[] = [];
  const enqueuedWebhooks: EnqueuedWebhooks[] = [];
  const own = createBindings(enqueuedDeliveries, enqueuedRefreshes, enqueuedWebhooks);

  async function call(
    method: string,
    path: string,
    { body, raw, headers, env, bindings }: RequestOptions = {},
  ): Promise<TestResponse> {
    const pending: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>) => pending.push(work), passThroughOnException() {} };
    const request = new Request(`http://api.test${path.startsWith("/api/") ? path : BASE_PATH + path}`, {
      method,
      headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...headers },
      body: raw ?? (body === undefined ? null : JSON.stringify(body)),
    });
    const startedAt = performance.now();
    const response = await worker.fetch(
      request,
      bindings ?? { ...own, ...env },
      context as unknown as ExecutionContext,
    );
    const responseMs = performance.now() - startedAt;
    await Promise.all(pending);
    const text = await response.text();
    const parsed = text ? JSON.parse(text) : null;
    globalThis.recordApiError?.(request, response.status, parsed?.error_code);
    return { status: response.status, headers: response.headers, body: parsed, responseMs };
  }

  return {
    enqueuedDeliveries,
    enqueuedRefreshes,
    enqueuedWebhooks,
    call,
    get: (path: string, options?: RequestOptions) => call("GET", path, options),
    post: (path: string, body?: unknown, headers?: Record<string, string>) =>
      call("POST", path, { body, ...(headers ? { headers } : {}) }),
    patch: (path: string, body?: unknown) => call("PATCH", path, { body }),
    delete: (path: string) => call("DELETE", path),
  };
}

export type Client = ReturnType<typeof createClient>;

export interface Tenant extends TenantIds {
  token: string;
  api: Client;
}

export interface TenantOptions {
  personal?: boolean;
  plan?: Plan | null;
  expiresAt?: Date;
  kind?: KeyKind;
  permissions?: Permission[];
  accountIds?: string[];
}

const PAID_PLAN: Plan = { tier: "professional", status: "active", paidUntil: null };

/** Creates a new owner, workspace and key. */
export async function createTestTenant(options: TenantOptions = {}): Promise<Tenant> {
  const db = openTestDatabase();
  const owner = await insertOwner(db, { id: newId(), email: `${newId()}@example.com`, name: "Test" });
  const tenant = options.personal
    ? owner
    : await insertWorkspace(db, { id: newId(), ownerId: owner.ownerId, name: "Test" });
  const plan = options.plan === undefined ? PAID_PLAN : options.plan;
  if (plan) await savePlan(db, tenant, newId(), plan);
  const token = await createTestKey(tenant, options);
  return { ...tenant, token, api: createClient(token) };
}

export function createTestKey(
  tenant: TenantIds,
  { expiresAt, kind, permissions, accountIds }: TenantOptions = {},
): Promise<string> {
  const limits = { permissions: permissions ?? null, accountIds: accountIds ?? null };
  const options = { kind: kind ?? ("key" as const), expiresAt: expiresAt ?? null, ...limits };
  const key = { id: newId(), name: "test", ...options };
  return insertKey(openTestDatabase(), tenant, key);
}

export interface TestAccount {
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
  /** Of the token, as its consent named them; without any nobody told, and the fake gives its default. */
  scopes?: readonly string[];
  tokenExpiresAt?: Date;
}

/** Creates a connected account, also on its fake network. */
export async function createTestAccount(
  tenant: TenantIds,
  platform: Platform,
  options: AccountOptions = {},
): Promise<TestAccount> {
  const id = newId();
  const [accessToken, refreshToken] = [randomBytes(18).toString("hex"), randomBytes(18).toString("hex")];
  const number = randomBytes(6).readUIntBE(0, 6);
  const externalId = toExternalId(platform, number);
  const username = `user${number}`;
  await insertAccount(openTestDatabase(), tenant, {
    id,
    platform,
    type: options.type ?? "byo",
    status: options.status ?? "active",
    username,
    displayName: username,
    externalId,
    ...(await encryptTokens({ current: vars.TOKEN_KEY ?? "" }, id, { accessToken, refreshToken })),
    tokenExpiresAt: options.tokenExpiresAt ?? null,
    grantedScopes: options.scopes ? [...options.scopes] : null,
  });
  const facts = options.facts ? { facts: options.facts } : {};
  const scopes = options.scopes ? { scopes: options.scopes } : {};
  const tokens = { accessToken, refreshToken, ...scopes };
  await callControl("PUT", "/_accounts", { platform, externalId, username, ...tokens, ...facts });
  return { id, platform, username, externalId, accessToken };
}

/** Calls a control endpoint of the fake networks. */
export async function callControl<Result>(method: string, path: string, body?: unknown): Promise<Result> {
  const response = await fetch(`${networksUrl}${path}`, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(result)}`);
  return result as Result;
}

/** Lists the posts that an account published on its fake network. */
export async function readPublished(
  account: TestAccount,
): Promise<{ id: string; caption?: string; url: string | null }[]> {
  const all = await callControl<Record<string, { account: string; id: string; url: string | null }[]>>(
    "GET",
    "/_published",
  );
  return (all[account.platform] ?? []).filter((item) => item.account === account.externalId);
}

export interface TestPublisher {
  services: Services;
  enqueuedDeliveries: EnqueuedDeliveries[];
  enqueuedRefreshes: EnqueuedRefreshes[];
  enqueuedWebhooks: EnqueuedWebhooks[];
  /** Advances the clock. */
  advance(ms: number): void;
}

/** Services with a controllable clock; `change` replaces some of them, such as a fetch that fails. */
export function createTestPublisher(start: Date, change: Partial<Services> = {}): TestPublisher {
  const enqueuedDeliveries: EnqueuedDeliveries[] = [];
  const enqueuedRefreshes: EnqueuedRefreshes[] = [];
  const enqueuedWebhooks: EnqueuedWebhooks[] = [];
  let now = start.getTime();
  const opened = openServices(
    createBindings(enqueuedDeliveries, enqueuedRefreshes, enqueuedWebhooks),
    `queue.${newId()}`,
    (work) => void work.catch(() => undefined),
  );
  return {
    services: { ...opened, clock: () => new Date(now), wait: async () => false, ...change },
    enqueuedDeliveries,
    enqueuedRefreshes,
    enqueuedWebhooks,
    advance(ms) {
      now += ms;
    },
  };
}
