// A publisher's world in which one operation goes wrong: what it asks of database and networks is counted, and struck.

import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { World } from "../../lib/call.ts";
import type { Db } from "../../lib/db.ts";
import { type Fault, LASTING, type Operation, type Plan } from "./faults.ts";
import type { Outside } from "./outside.ts";

export interface Troubled {
  world: World;
  operations: Operation[];
  /** The plan came to pass. */
  struck(): boolean;
  /** Settles when this publisher is killed; nothing that it waits for is ever answered then. */
  died: Promise<void>;
}

/** A call that the publisher no longer waits for and that has yet to reach its network. */
export type Late = () => Promise<unknown>;

interface State {
  plan: Plan | null;
  operations: Operation[];
  struck: boolean;
  dead: boolean;
  away: boolean;
  /** The instant of the last claim. */
  claimedAt: number;
  die(): void;
}

const STALL_MS = 40;

export function troubled(base: World, outside: Outside, plan: Plan | null, late: (call: Late) => void): Troubled {
  const { promise: died, resolve: die } = Promise.withResolvers<void>();
  const state: State = { plan, operations: [], struck: false, dead: false, away: false, claimedAt: 0, die };
  const world = { ...base, db: troubledDb(base, state), fetch: troubledFetch(base, outside, state, late) };
  return { world, operations: state.operations, struck: () => state.struck, died };
}

/** Counts an operation; the fault that is to strike it, if any. */
function next(state: State, operation: Omit<Operation, "nth">): Fault | null {
  const nth = state.operations.filter(({ on, name }) => on === operation.on && name === operation.name).length;
  const counted = { ...operation, nth };
  state.operations.push(counted);
  const { plan } = state;
  const struck = plan && (isSame(plan.operation, counted) || (state.struck && LASTING.has(plan.fault)));
  if (struck) state.struck = true;
  const lasting = plan && LASTING.has(plan.fault) && operation.on !== "network";
  return struck && !lasting ? plan.fault : null;
}

function isSame(one: Operation, other: Operation): boolean {
  return one.on === other.on && one.name === other.name && one.nth === other.nth;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function kill(state: State): Promise<never> {
  state.dead = true;
  state.die();
  return never();
}

function troubledDb(base: World, state: State): Db {
  async function execute(query: SQL) {
    if (state.dead) return never();
    const name = nameOf(query);
    // One delivery is all there is to claim, and its next check is for a later round: no need to look again.
    if (name === "claim" && state.claimedAt === Date.now()) return { rows: [] };
    const fault = next(state, { on: "database", name, reads: false });
    if (fault === "killed before") return kill(state);
    if (fault === "away") state.away = true;
    if (state.away) throw new Error("The database is away.");
    const result = await base.db.execute(query);
    if (name === "claim") state.claimedAt = Date.now();
    if (fault === "killed after") return kill(state);
    if (fault === "answer lost") throw new Error("The database's answer was lost.");
    return state.dead ? never() : result;
  }
  return Object.create(base.db, { execute: { value: execute } }) as Db;
}

const dialect = new PgDialect();

/** What a statement writes on the delivery, if it is one of its life. */
function nameOf(query: SQL): string {
  const { sql, params } = dialect.sqlToQuery(query);
  if (sql.includes("skip locked")) return "claim";
  const written = (column: string) => params[Number(new RegExp(`"${column}" = \\$(\\d+)`).exec(sql)?.[1]) - 1];
  const [status, stage] = [written("status"), written("stage")];
  if (status) return `ends ${String(status)}`;
  return stage ? `checkpoint ${String(stage)}` : sql.trim().split(/\s+/).slice(0, 2).join(" ");
}

function troubledFetch(base: World, outside: Outside, state: State, late: (call: Late) => void): typeof fetch {
  return async (input, init) => {
    if (state.dead) return never();
    const url = String(input);
    const call = outside.callOf(url, init as RequestInit | undefined);
    const method = init?.method ?? "GET";
    const reads = method === "GET" || method === "HEAD";
    const name = call ?? `media ${method}`;
    const fault = next(state, { on: call ? "network" : "media", name, reads });
    const answer = await struck(fault, url, init as RequestInit | undefined);
    return state.dead ? never() : answer;
  };

  async function struck(fault: Fault | null, url: string, init: RequestInit | undefined): Promise<Response> {
    switch (fault) {
      case "killed before":
        return kill(state);
      case "killed after":
        await arrive(url, init);
        return kill(state);
      case "killed, call lands late":
        late(await held(url, init));
        return kill(state);
      case "times out, call lands late":
        late(await held(url, init));
        throw new DOMException("The call took too long.", "TimeoutError");
      case "refused":
        return outside.refusal("refuse", url, init);
      case "429":
      case "500":
        return outside.refusal(fault, url, init);
      case "500 after effect":
        await arrive(url, init);
        return outside.refusal("500", url, init);
      case "signed out":
        return base.fetch(...signedOut(url, init));
      case "stalled":
        return base.fetch(outside.silentUrl, { ...init, signal: AbortSignal.timeout(STALL_MS) });
      case "dropped before":
      case "gone from here on":
        throw new TypeError("fetch failed");
      case "dropped after":
      case "silent from here on":
        await arrive(url, init);
        throw new TypeError("fetch failed");
      default:
        return base.fetch(url, init);
    }
  }

  /** The call takes effect, and nobody reads what comes back. */
  async function arrive(url: string, init: RequestInit | undefined): Promise<void> {
    const answer = await base.fetch(url, init);
    await answer.arrayBuffer();
  }

  async function held(url: string, init: RequestInit | undefined): Promise<Late> {
    const request = new Request(url, { ...init, signal: null, duplex: "half" } as RequestInit);
    const bytes = await request.arrayBuffer();
    const { method, headers } = request;
    return () => arrive(url, { method, headers, body: bytes.byteLength > 0 ? bytes : null });
  }
}

function signedOut(address: string, init: RequestInit | undefined): [string, RequestInit] {
  const url = new URL(address);
  if (url.searchParams.has("access_token")) url.searchParams.set("access_token", "nobody");
  const headers = new Headers(init?.headers);
  if (headers.has("authorization")) headers.set("authorization", "Bearer nobody");
  return [url.href, { ...init, headers }];
}

/** A world in which arming is only pretended: what the suite must find out. */
export function withoutArming(base: World): World {
  async function execute(query: SQL) {
    const { sql, params } = dialect.sqlToQuery(query);
    const stage = params[Number(/"stage" = \$(\d+)/.exec(sql)?.[1]) - 1];
    return stage === "armed" ? { rows: [{ id: 0 }] } : base.db.execute(query);
  }
  return { ...base, db: Object.create(base.db, { execute: { value: execute } }) as Db };
}
