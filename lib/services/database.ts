// Postgres over HTTP: one Drizzle handle per request, with a timeout and the request id on every call.
import { NeonDbError, type NeonQueryPromise, neon, neonConfig } from "@neondatabase/serverless";
import type { SQL } from "drizzle-orm";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import type { Actor } from "../shared/actor.ts";
import { toApiError, unavailableError } from "../shared/errors.ts";
import type { Env } from "./env.ts";
import { createReadBatch, type DriverResponse, type ReadBatch, toDriverResponse } from "./read-batch.ts";
import { withTimeout } from "./timeout.ts";

export type Db = NeonHttpDatabase<Record<string, never>>;

type ReadMethods = "select" | "selectDistinct" | "selectDistinctOn";

/**
 * A handle without insert, update and delete, and so without a batch of them, for functions that only read. Every `Db` is
 * one. Raw statements need `sql`, which only lib/queries may import: those that write take a `Db` there.
 */
export interface ReadOnlyDb extends Pick<Db, ReadMethods | "$with" | "$count" | "batch"> {
  with(...queries: Parameters<Db["with"]>): Pick<ReturnType<Db["with"]>, ReadMethods>;
  execute(query: SQL): ReturnType<Db["execute"]>;
}

const TIMEOUT_MS = 4_000;

interface QueryOptions {
  requestId: string;
  /** Called for each request that is sent. */
  countRequest: (() => void) | undefined;
  /** Replaces the endpoint that the driver derives from the host of the connection string. */
  endpoint: string | undefined;
  reads: ReadBatch;
}

neonConfig.fetchFunction = (url: string, options: RequestInit & QueryOptions) => {
  const { requestId, countRequest, endpoint, reads, ...init } = options;
  const headers = { ...(init.headers as Record<string, string>), "x-request-id": requestId };
  const send = (body: string) => {
    countRequest?.();
    return sendStatements(endpoint ?? url, { ...init, headers, body });
  };
  return reads.isOpen() ? reads.add(init.body as string, send) : send(init.body as string);
};

async function sendStatements(url: string, init: RequestInit): Promise<DriverResponse> {
  try {
    return await withTimeout(TIMEOUT_MS, async (signal) => {
      const response = await fetch(url, { ...init, signal });
      if (response.status >= 500) throw new Error(`HTTP ${response.status}`);
      // The body is read here so that the timeout covers it; the driver itself would wait for a stalled body forever.
      const text = await response.text();
      return toDriverResponse(response.status, () => JSON.parse(text), text);
    });
  } catch (error) {
    throw unavailableError("database", error);
  }
}

/** A handle, and the batch that its statements join while it is open. */
export interface OpenedDatabase {
  db: Db;
  reads: ReadBatch;
}

type DatabaseEnv = Pick<Env, "DATABASE_URL" | "DATABASE_FETCH_URL">;

export function openDatabase(env: DatabaseEnv, requestId: string): Db {
  return openBatchedDatabase(env, requestId).db;
}

export function openBatchedDatabase(env: DatabaseEnv, requestId: string, countRequest?: () => void): OpenedDatabase {
  const reads = createReadBatch();
  return { db: drizzle(openClient(env, requestId, countRequest, reads)), reads };
}

/** Who causes the changes of a handle, and by which operation; the triggers of the audit log write it down. */
export interface AuditedChange {
  actor: Pick<Actor, "kind" | "id"> & { name: string };
  action: string;
}

/** A handle whose changes are in the audit log. The actor goes to the database in the request of each statement. */
export function openAuditedDatabase(
  env: DatabaseEnv,
  requestId: string,
  { actor, action }: AuditedChange,
  countRequest?: () => void,
): Db {
  const client = openClient(env, requestId, countRequest);
  const setting = JSON.stringify({ kind: actor.kind, id: actor.id, name: actor.name, action, request_id: requestId });
  const setActor = () => client.query("select set_config('audit.actor', $1, true)", [setting]);
  const transaction = async (queries: NeonQueryPromise<false, false>[], options?: object) => {
    const [, ...results] = await client.transaction([setActor(), ...queries], options);
    return results;
  };
  /** Drizzle awaits a query that runs alone, and hands those of a batch to `transaction`, where they are not awaited. */
  const query = (text: string, params: unknown[], options?: object) => {
    const lazy = client.query(text, params, options);
    const run = () => transaction([client.query(text, params)], options).then(([result]) => result);
    const then = (...handlers: Parameters<Promise<unknown>["then"]>) => run().then(...handlers);
    // biome-ignore lint/suspicious/noThenProperty: the query of the driver is a lazy thenable, and awaiting it sends it.
    return Object.defineProperty(lazy, "then", { value: then });
  };
  const audited = Object.assign(query, { query, transaction });
  return drizzle(audited as unknown as ReturnType<typeof openClient>);
}

function openClient(env: DatabaseEnv, requestId: string, countRequest?: () => void, reads = createReadBatch()) {
  const fetchOptions: QueryOptions = { requestId, countRequest, endpoint: env.DATABASE_FETCH_URL, reads };
  return neon(env.DATABASE_URL, { fetchOptions: { ...fetchOptions } });
}

/** The Postgres error behind a failed query: for example `code` 23505, a unique violation of `constraint`. */
function findDatabaseError(error: unknown): { code?: string; constraint?: string } | null {
  for (let seen = error, depth = 0; seen instanceof Error && depth < 6; depth++) {
    if (seen instanceof NeonDbError) return { code: seen.code, constraint: seen.constraint };
    seen = seen.cause;
  }
  return null;
}

/** Classes 08, 53 and 57: connection failure, insufficient resources, or operator intervention such as a shutdown. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return toApiError(error) !== null || /^(08|53|57)/.test(findDatabaseError(error)?.code ?? "");
}
