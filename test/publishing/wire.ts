// A publisher between a scripted network and a database whose answers can be lost: what recovery is shown with.
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { v7 as newId } from "uuid";
import type { Stage } from "../../drizzle/schema/posts.ts";
import type { World } from "../../lib/call.ts";
import { newPost } from "../../lib/publishing/draft.ts";
import { publishDue } from "../../lib/publishing/publisher.ts";
import * as posts from "../../lib/queries/posts.ts";
import type { PostCreate } from "../../lib/schemas/post-body.ts";
import {
  database,
  type MintedAccount,
  mintAccount,
  mintTenant,
  type Publisher,
  rows,
  type Tenant,
} from "../harness.ts";

/** A fixed day, so that no clock but the one handed in decides anything. */
export const NOON = new Date("2026-03-01T12:00:00.000Z");

export const later = (ms: number) => new Date(NOON.getTime() + ms);

export interface Asked {
  name: string;
  url: URL;
  init: RequestInit;
}

/** What a network says to one call: JSON with a status, or whatever the function does, such as throwing. */
export type Says = object | ((asked: Asked) => Promise<Response> | Response);

const CALLS: [name: string, method: string, path: RegExp, usually: object][] = [
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

/** Instagram or TikTok as far as one post goes. `script` names calls and what they answer in turn; the last one stays. */
export function network(script: Record<string, Says[]>) {
  const asked: Asked[] = [];
  const turns = new Map(Object.entries(script).map(([name, says]) => [name, [...says]]));

  async function answer(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const url = new URL(String(input));
    const known = CALLS.find(([, method, path]) => method === (init.method ?? "GET") && path.test(url.pathname));
    const [name, , , usually] = known ?? [url.hostname, "", /./, {}];
    const call = { name, url, init };
    asked.push(call);
    const left = turns.get(name);
    const says = (left && left.length > 1 ? left.shift() : left?.[0]) ?? usually;
    const said = typeof says === "function" ? await says(call) : Response.json(says);
    // Who does not ask for redirects is led on, as by any fetch.
    const location = init.redirect === "manual" ? null : said.headers.get("location");
    return location ? answer(new URL(location, url), init) : said;
  }

  return {
    fetch: answer as typeof fetch,
    asked,
    /** How often a call was made. */
    times: (name: string) => asked.filter((call) => call.name === name).length,
  };
}

/** The call arrives, its answer does not. */
export const lost: Says = () => {
  throw new TypeError("fetch failed");
};

export const refused =
  (status: number, body: object, headers: Record<string, string> = {}): Says =>
  () =>
    Response.json(body, { status, headers });

/** Hangs until its caller gives up, as a network that does not answer. */
export const hangs: Says = ({ init }) =>
  new Promise((_, reject) => {
    init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
  });

const dialect = new PgDialect();

/** The database, with statements that fail: `before` they run, or `after`, when only their answer is lost. */
export function flaky(db: World["db"], fails: (query: string, params: unknown[]) => "before" | "after" | null) {
  const execute = async (statement: SQL) => {
    const { sql: query, params } = dialect.sqlToQuery(statement);
    const how = fails(query, params);
    if (how === "before") throw new Error("the database does not answer");
    const result = await db.execute(statement);
    if (how === "after") throw new Error("the answer of the database is lost");
    return result;
  };
  return new Proxy(db, { get: (target, name) => (name === "execute" ? execute : Reflect.get(target, name)) });
}

/** Whether a statement is the checkpoint that writes this stage. */
export function writes(stage: Stage, query: string, params: unknown[]): boolean {
  return query.includes("insert into delivery_attempts") && params.includes(stage);
}

export interface Waiting {
  tenant: Tenant;
  account: MintedAccount;
}

export async function connected(
  platform: "instagram" | "tiktok",
  options: Parameters<typeof mintAccount>[2] = {},
): Promise<Waiting> {
  const tenant = await mintTenant();
  return { tenant, account: await mintAccount(tenant, platform, options) };
}

const PHOTO = { type: "slideshow" as const, urls: ["https://media.example.com/a.jpg"] };

/** A post of one account as its create leaves it at `at`; the id of its delivery. */
export async function waiting({ tenant, account }: Waiting, at: Date, more: Partial<PostCreate> = {}) {
  const body: PostCreate = { caption: "hello", accounts: [{ id: account.id }], media: PHOTO, ...more };
  const draft = newPost(body, newId, at, false);
  const scope = { id: tenant.workspaceId ?? tenant.ownerId, ownerId: tenant.ownerId, workspaceId: tenant.workspaceId };
  await posts.insert(database(), scope, draft);
  return draft.deliveries[0]?.id ?? "";
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

export async function rowOf(id: string): Promise<Row> {
  const [row] = await rows<Omit<Row, keyof Times> & Times>(
    sql`select status, stage, handle, attempts, error_code, error_message, next_attempt_at as next,
      deadline_at as deadline, lease_token as "leaseToken", lease_until as "leaseUntil"
      from post_deliveries where id = ${id}`,
  );
  if (!row) throw new Error(`no delivery ${id}`);
  const at = (text: string | null) => text && new Date(text);
  return { ...row, next: at(row.next), deadline: new Date(row.deadline), leaseUntil: at(row.leaseUntil) } as Row;
}

/** Changes deliveries behind the publisher's back. */
export async function set(ids: string[], change: SQL): Promise<void> {
  await rows(sql`update post_deliveries set ${change} where id = any(${`{${ids.join(",")}}`}::uuid[]) returning id`);
}

/** What happened to a delivery, oldest first. */
export async function traceOf(id: string): Promise<string[]> {
  const steps = await rows<{ step: string; outcome: string }>(
    sql`select step, outcome from delivery_attempts where delivery_id = ${id} order by id`,
  );
  return steps.map(({ step, outcome }) => `${step}: ${outcome}`);
}

/** Publishes, moving the clock to each next check, until the delivery is done; as a row. */
export async function untilDone({ world, pass }: Pick<Publisher, "world" | "pass">, id: string): Promise<Row> {
  for (let round = 0; round < 40; round++) {
    await publishDue(world, [id]);
    const row = await rowOf(id);
    if (!row.next) return row;
    pass(Math.max(1_000, row.next.getTime() - world.clock().getTime()));
  }
  throw new Error(`delivery ${id} was not done after 40 rounds`);
}
