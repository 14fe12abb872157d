// Test helpers for publishing: a scripted network, failing database statements, and delivery rows.

import { type SQL, sql } from "drizzle-orm";
import { v7 as newId } from "uuid";
import type { Stage } from "../../drizzle/schema/posts.ts";
import { buildInsert } from "../../lib/publishing/create-post.ts";
import { planFirstAttempt } from "../../lib/publishing/first-attempt.ts";
import { publishDue } from "../../lib/publishing/publish-due.ts";
import { insertPost } from "../../lib/queries/new-posts.ts";
import { PostCreate, type PostDraft } from "../../lib/schemas/post-body.ts";
import type { Services } from "../../lib/services/context.ts";
import { checkExchange } from "../network-references/check.ts";
import { references } from "../network-references/index.ts";
import {
  createTestAccount,
  createTestTenant,
  openTestDatabase,
  queryRows,
  type Tenant,
  type TestAccount,
  type TestPublisher,
} from "../support/harness.ts";
import { interceptStatements } from "./intercept-statements.ts";

/** A fixed time, so that tests do not depend on the current time. */
export const NOON = new Date("2026-03-01T12:00:00.000Z");

export const afterNoon = (ms: number) => new Date(NOON.getTime() + ms);

export interface RecordedCall {
  name: string;
  url: URL;
  init: RequestInit;
}

/** The response to one call: a JSON body, or a function that returns a response or throws. */
export type ScriptedResponse = object | ((call: RecordedCall) => Promise<Response> | Response);

const CALLS: [name: string, method: string, path: RegExp, defaultBody: object][] = [
  ["limit", "GET", /\/content_publishing_limit$/, { data: [{ quota_usage: 0, config: { quota_total: 100 } }] }],
  ["publish", "POST", /\/media_publish$/, { id: "18001" }],
  ["container", "POST", /\/media$/, { id: "17801" }],
  ["status", "GET", /\/17801$/, { status_code: "FINISHED" }],
  ["permalink", "GET", /\/18001$/, { permalink: "https://www.instagram.com/p/18001/" }],
  ["creator", "POST", /\/creator_info\/query\/$/, { data: { creator_username: "user" } }],
  ["init", "POST", /\/video\/init\/$/, { data: { publish_id: "v1", upload_url: "https://upload.tiktok.test/v1" } }],
  ["upload", "PUT", /\/v1$/, {}],
  ["publish", "POST", /\/content\/init\/$/, { data: { publish_id: "p1" } }],
  [
    "status",
    "POST",
    /\/status\/fetch\/$/,
    { data: { status: "PUBLISH_COMPLETE", publicaly_available_post_id: ["7300"] } },
  ],
  ["refresh", "POST", /\/oauth\/token\/$/, { access_token: "fresh", refresh_token: "rotated", expires_in: 86_400 }],
  ["media", "GET", /\/media$/, { data: [] }],
];

/** Compares a request of a driver with the reference of its network, as the fakes do; responses are the tests' own. */
async function checkRequest(url: URL, init: RequestInit): Promise<void> {
  const [, network = "", ...rest] = url.pathname.split("/");
  if (!references.has(network)) return;
  const headers = new Headers(init.headers);
  const isForm = init.body instanceof URLSearchParams;
  if (isForm) headers.set("content-type", "application/x-www-form-urlencoded");
  const body = Buffer.from(isForm || typeof init.body === "string" ? String(init.body) : "");
  const method = init.method ?? "GET";
  await checkExchange({ network, method, path: `/${rest.join("/")}`, query: url.searchParams, headers, body });
}

/** Fakes Instagram or TikTok for one post. `script` has the responses per call in order; the last one repeats. */
export function scriptNetwork(script: Record<string, ScriptedResponse[]>) {
  const calls: RecordedCall[] = [];
  const queues = new Map(Object.entries(script).map(([name, scripted]) => [name, [...scripted]]));

  async function answer(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const url = new URL(String(input));
    const known = CALLS.find(([, method, path]) => method === (init.method ?? "GET") && path.test(url.pathname));
    const [name, , , defaultBody] = known ?? [url.hostname, "", /./, {}];
    const call = { name, url, init };
    calls.push(call);
    await checkRequest(url, init);
    const queue = queues.get(name);
    const scripted = (queue && queue.length > 1 ? queue.shift() : queue?.[0]) ?? defaultBody;
    const response = typeof scripted === "function" ? await scripted(call) : Response.json(scripted);
    // Redirects are followed unless the request is manual, as fetch does.
    const location = init.redirect === "manual" ? null : response.headers.get("location");
    return location ? answer(new URL(location, url), init) : response;
  }

  return {
    fetch: answer as typeof fetch,
    calls,
    /** Number of requests to a call. */
    countCalls: (name: string) => calls.filter((call) => call.name === name).length,
  };
}

/** The response is lost. */
export const loseAnswer: ScriptedResponse = () => {
  throw new TypeError("fetch failed");
};

export const respondWith =
  (status: number, body: object, headers: Record<string, string> = {}): ScriptedResponse =>
  () =>
    Response.json(body, { status, headers });

/** Never responds until the request is aborted. */
export const hangUntilAborted: ScriptedResponse = ({ init }) =>
  new Promise((_, reject) => {
    init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
  });

/** A database whose statements fail `before` they run, or `after`, when only the result is lost. */
export function withFailingStatements(
  db: Services["db"],
  fails: (query: string, params: unknown[]) => "before" | "after" | null,
): Services["db"] {
  return interceptStatements(db, async (query, params, run) => {
    const how = fails(query, params);
    if (how === "before") throw new Error("the database does not respond");
    const result = await run();
    if (how === "after") throw new Error("the database response is lost");
    return result;
  });
}

/** Returns true if a statement writes the checkpoint of this stage: it is the stage of the row and the outcome in the trace. */
export function isCheckpointOf(stage: Stage, query: string, params: unknown[]): boolean {
  return query.includes(`insert into "delivery_attempts"`) && params.filter((param) => param === stage).length > 1;
}

export interface ConnectedAccount {
  tenant: Tenant;
  account: TestAccount;
}

export async function connectAccount(
  platform: "instagram" | "tiktok",
  options: Parameters<typeof createTestAccount>[2] = {},
): Promise<ConnectedAccount> {
  const tenant = await createTestTenant();
  return { tenant, account: await createTestAccount(tenant, platform, options) };
}

const PHOTO = { type: "slideshow" as const, urls: ["https://media.example.com/a.jpg"] };

/** Inserts a post of one account created at `at`; returns the id of its delivery. */
export async function createDelivery({ tenant, account }: ConnectedAccount, at: Date, more: Partial<PostDraft> = {}) {
  const body = { caption: "hello", accounts: [{ id: account.id }], media: PHOTO };
  const draft = { ...PostCreate.parse(body), ...more };
  const scope = { id: tenant.workspaceId ?? tenant.ownerId, ownerId: tenant.ownerId, workspaceId: tenant.workspaceId };
  const insert = buildInsert({ ids: newId, now: at, source: "partner_api" }, draft, planFirstAttempt(draft, at));
  await insertPost(openTestDatabase(), scope, draft, insert);
  return insert.targets[0]?.id ?? "";
}

export interface Row {
  status: string;
  stage: Stage;
  handle: Record<string, unknown> | null;
  attempts: number;
  error_code: string | null;
  error_message: string | null;
  next: Date | null;
  deadline: Date;
  leaseToken: string | null;
  leaseUntil: Date | null;
}

interface Times {
  next: string | null;
  deadline: string;
  leaseUntil: string | null;
}

export async function readDelivery(id: string): Promise<Row> {
  const [row] = await queryRows<Omit<Row, keyof Times> & Times>(
    sql`select status, stage, handle, attempts, error_code, error_message, next_attempt_at as next,
      deadline_at as deadline, lease_token as "leaseToken", lease_until as "leaseUntil"
      from post_deliveries where id = ${id}`,
  );
  if (!row) throw new Error(`no delivery ${id}`);
  const at = (text: string | null) => text && new Date(text);
  return { ...row, next: at(row.next), deadline: new Date(row.deadline), leaseUntil: at(row.leaseUntil) } as Row;
}

/** Changes deliveries directly in the database. */
export async function updateDeliveries(ids: string[], change: SQL): Promise<void> {
  await queryRows(
    sql`update post_deliveries set ${change} where id = any(${`{${ids.join(",")}}`}::uuid[]) returning id`,
  );
}

/** Returns the trace of a delivery, oldest first. */
export async function readTrace(id: string): Promise<string[]> {
  const steps = await queryRows<{ step: string; outcome: string }>(
    sql`select step, outcome from delivery_attempts where delivery_id = ${id} order by id`,
  );
  return steps.map(({ step, outcome }) => `${step}: ${outcome}`);
}

/** Publishes and advances the clock to each next check until the delivery is done; returns its row. */
export async function publishUntilDone(
  { services, advance }: Pick<TestPublisher, "services" | "advance">,
  id: string,
): Promise<Row> {
  for (let round = 0; round < 40; round++) {
    await publishDue(services, [id]);
    const row = await readDelivery(id);
    if (!row.next) return row;
    advance(Math.max(1_000, row.next.getTime() - services.clock().getTime()));
  }
  throw new Error(`delivery ${id} was not done after 40 rounds`);
}
