// Services of a worker in which one operation fails: counts operations on database and networks, and injects the fault.

import { type Budget, withBudget } from "../../lib/services/budget.ts";
import type { Services } from "../../lib/services/context.ts";
import type { Db } from "../../lib/services/database.ts";
import { interceptStatements } from "../publishing/intercept-statements.ts";
import type { ExternalServices } from "./external-services.ts";
import { type Fault, isSameOperation, LASTING_FAULTS, type Operation, type Plan } from "./fault-plans.ts";

export interface FaultyServices {
  services: Services;
  operations: Operation[];
  /** True once the fault was injected. */
  struck(): boolean;
  /** Resolves when this worker is killed; its pending operations never resolve then. */
  died: Promise<void>;
}

/** Sends a request that the worker no longer waits for. */
export type LateCall = () => Promise<unknown>;

export interface InjectionOptions {
  scheduleLate(call: LateCall): void;
  /** Delivers the message of this invocation once more, and resolves when its consumer has ended. */
  deliverCopy(): Promise<void>;
  /** True when the worker has one delivery, so that it need not look for another one. */
  hasOneDelivery: boolean;
}

interface State {
  plan: Plan | null;
  operations: Operation[];
  struck: boolean;
  dead: boolean;
  unavailable: boolean;
  usedUp: boolean;
  options: InjectionOptions;
  /** The instant of the last claim. */
  claimedAt: number;
  die(): void;
}

const STALL_MS = 40;

export function injectFault(
  base: Services,
  external: ExternalServices,
  plan: Plan | null,
  options: InjectionOptions,
): FaultyServices {
  const { promise: died, resolve: die } = Promise.withResolvers<void>();
  const flags = { struck: false, dead: false, unavailable: false, usedUp: false };
  const state: State = { plan, operations: [], ...flags, claimedAt: 0, die, options };
  const budget: Budget = {
    countRequest: () => undefined,
    remainingRequests: () => (state.usedUp ? 0 : Number.POSITIVE_INFINITY),
  };
  const services: Services = {
    ...base,
    budget,
    db: withFaultyDatabase(base, state),
    fetch: withFaultyFetch({ ...base, fetch: withBudget(budget, base.fetch) }, external, state),
    enqueueDeliveries: withFaultyQueue(base, state),
  };
  return { services, operations: state.operations, struck: () => state.struck, died };
}

/** Records an operation and returns the fault to inject, if any. */
function nextFault(state: State, operation: Omit<Operation, "nth">): Fault | null {
  const nth = state.operations.filter(({ on, name }) => on === operation.on && name === operation.name).length;
  const counted = { ...operation, nth };
  state.operations.push(counted);
  const { plan } = state;
  const struck = plan && (isSameOperation(plan.operation, counted) || (state.struck && LASTING_FAULTS.has(plan.fault)));
  if (struck) state.struck = true;
  const lasting = plan && LASTING_FAULTS.has(plan.fault) && operation.on !== "network";
  return struck && !lasting ? plan.fault : null;
}

/** Ends or stops the worker at an operation that it makes all the same. */
async function strike(state: State, fault: Fault | null): Promise<void> {
  if (fault === "budget used up") state.usedUp = true;
  if (fault === "copied, first waits") await state.options.deliverCopy();
  if (fault === "copied, both run") void state.options.deliverCopy();
}

/** The worker does not wait for its messages: those that it sends after it was killed do not exist. */
function withFaultyQueue(base: Services, state: State): Services["enqueueDeliveries"] {
  return (ids, delaySeconds, kind) => {
    if (state.dead) return;
    const fault = nextFault(state, { on: "queue", name: `enqueue ${kind}`, reads: false });
    if (fault !== "killed before") base.enqueueDeliveries(ids, delaySeconds, kind);
    if (fault === "killed before" || fault === "killed after") void kill(state);
    void strike(state, fault);
  };
}

function neverResolve(): Promise<never> {
  return new Promise(() => undefined);
}

function kill(state: State): Promise<never> {
  state.dead = true;
  state.die();
  return neverResolve();
}

function withFaultyDatabase(base: Services, state: State): Db {
  return interceptStatements(base.db, async (query, params, run) => {
    if (state.dead) return neverResolve();
    const name = getOperationName(query, params);
    // Its next check is in a later round.
    if (name === "claim" && state.options.hasOneDelivery && state.claimedAt === Date.now()) return { rows: [] };
    const fault = nextFault(state, { on: "database", name, reads: false });
    await strike(state, fault);
    if (fault === "killed before") return kill(state);
    if (fault === "unavailable") state.unavailable = true;
    if (state.unavailable) throw new Error("The database is unavailable.");
    const result = await run();
    if (name === "claim") state.claimedAt = Date.now();
    if (fault === "killed after") return kill(state);
    if (fault === "response lost") throw new Error("The database response was lost.");
    return state.dead ? neverResolve() : result;
  });
}

/** Names a statement by what it writes to the delivery. */
function getOperationName(query: string, params: unknown[]): string {
  if (query.includes("skip locked")) return "claim";
  const [status, stage] = [getWritten("status", query, params), getWritten("stage", query, params)];
  if (status) return `ends ${String(status)}`;
  return stage ? `checkpoint ${String(stage)}` : query.trim().split(/\s+/).slice(0, 2).join(" ");
}

function getWritten(column: string, query: string, params: unknown[]): unknown {
  return params[Number(new RegExp(`"${column}" = \\$(\\d+)`).exec(query)?.[1]) - 1];
}

function withFaultyFetch(base: Services, external: ExternalServices, state: State): typeof fetch {
  const { scheduleLate } = state.options;
  return async (input, init) => {
    if (state.dead) return neverResolve();
    const url = String(input);
    const call = external.getCallName(url, init as RequestInit | undefined);
    const method = init?.method ?? "GET";
    const reads = method === "GET" || method === "HEAD";
    const name = call ?? `media ${method}`;
    const fault = nextFault(state, { on: call ? "network" : "media", name, reads });
    await strike(state, fault);
    const response = await respond(fault, url, init as RequestInit | undefined);
    return state.dead ? neverResolve() : response;
  };

  async function respond(fault: Fault | null, url: string, init: RequestInit | undefined): Promise<Response> {
    switch (fault) {
      case "killed before":
        return kill(state);
      case "killed after":
        await send(url, init);
        return kill(state);
      case "killed, request arrives late":
        scheduleLate(await buildLateCall(url, init));
        return kill(state);
      case "times out, request arrives late":
        scheduleLate(await buildLateCall(url, init));
        throw new DOMException("The request timed out.", "TimeoutError");
      case "rejected":
        return external.buildError("refuse", url, init);
      case "429":
      case "500":
        return external.buildError(fault, url, init);
      case "500 after effect":
        await send(url, init);
        return external.buildError("500", url, init);
      case "token revoked":
        return base.fetch(...withInvalidToken(url, init));
      case "stalled":
        return base.fetch(external.silentUrl, { ...init, signal: AbortSignal.timeout(STALL_MS) });
      case "dropped before":
      case "unreachable from here on":
        throw new TypeError("fetch failed");
      case "dropped after":
      case "responses lost from here on":
        await send(url, init);
        throw new TypeError("fetch failed");
      default:
        return base.fetch(url, init);
    }
  }

  /** Sends the request and discards the response. */
  async function send(url: string, init: RequestInit | undefined): Promise<void> {
    const response = await base.fetch(url, init);
    await response.arrayBuffer();
  }

  async function buildLateCall(url: string, init: RequestInit | undefined): Promise<LateCall> {
    const request = new Request(url, { ...init, signal: null, duplex: "half" } as RequestInit);
    const bytes = await request.arrayBuffer();
    const { method, headers } = request;
    return () => send(url, { method, headers, body: bytes.byteLength > 0 ? bytes : null });
  }
}

function withInvalidToken(address: string, init: RequestInit | undefined): [string, RequestInit] {
  const url = new URL(address);
  if (url.searchParams.has("access_token")) url.searchParams.set("access_token", "unknown");
  const headers = new Headers(init?.headers);
  const [scheme] = headers.get("authorization")?.split(" ") ?? [];
  if (scheme) headers.set("authorization", `${scheme} unknown`);
  return [url.href, { ...init, headers }];
}

/** Services that skip the `armed` checkpoint, which the suite must detect. */
export function withoutArming(base: Services): Services {
  const db = interceptStatements(base.db, async (query, params, run) =>
    getWritten("stage", query, params) === "armed" ? { rows: [{ next: [] }] } : run(),
  );
  return { ...base, db };
}
