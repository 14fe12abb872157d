// Postgres over HTTP: one Drizzle handle per request, with a timeout and the request id on every call.
import { NeonDbError, NeonQueryPromise, neon, neonConfig } from "@neondatabase/serverless";
import type { SQL } from "drizzle-orm";
import { drizzle, NeonHttpDatabase, NeonHttpSession } from "drizzle-orm/neon-http";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Actor } from "../shared/actor.ts";
import { toApiError, unavailableError } from "../shared/errors.ts";
import type { Env } from "./env.ts";
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

/** A request of the API responds within this time. */
const REQUEST_TIMEOUT_MS = 4_000;
/** An import stores a hundred rows per statement, and an operator would rather wait than start again. */
const COMMAND_TIMEOUT_MS = 120_000;

/** Of one request of the API. */
interface SendOptions {
  requestId: string;
  /** Called for each request that is sent. */
  countRequest: (() => void) | undefined;
  timeoutMs: number;
  /** Replaces the endpoint that the driver derives from the host of the connection string. */
  endpoint: string | undefined;
}

neonConfig.fetchFunction = (url: string, options: RequestInit & SendOptions) => {
  const { requestId, countRequest, timeoutMs, endpoint, ...init } = options;
  countRequest?.();
  const headers = { ...(init.headers as Record<string, string>), "x-request-id": requestId };
  return sendStatements(endpoint ?? url, { ...init, headers }, timeoutMs);
};

/** The parts of a response that Neon's driver reads. */
type DriverResponse = Pick<Response, "ok" | "status" | "json" | "text">;

async function sendStatements(url: string, init: RequestInit, timeoutMs: number): Promise<DriverResponse> {
  try {
    return await withTimeout(timeoutMs, async (signal) => {
      const response = await fetch(url, { ...init, signal });
      const { ok, status } = response;
      if (status >= 500) throw new Error(`HTTP ${status}`);
      // The body is read here so that the timeout covers it; the driver itself would wait for a stalled body forever.
      const text = await response.text();
      return { ok, status, json: async () => JSON.parse(text), text: async () => text };
    });
  } catch (error) {
    throw unavailableError("database", error);
  }
}

type DatabaseEnv = Pick<Env, "DATABASE_URL" | "DATABASE_FETCH_URL">;

export function openDatabase(env: DatabaseEnv, requestId: string, countRequest?: () => void): Db {
  const { prepare, ...runner } = openDriver(env, { requestId, countRequest, timeoutMs: REQUEST_TIMEOUT_MS });
  return createHandle(prepare, runner);
}

/** A handle for a command, which `name` identifies in the log of the database. */
export function openCommandDatabase(env: DatabaseEnv, name: string): Db {
  const options = { requestId: name, countRequest: undefined, timeoutMs: COMMAND_TIMEOUT_MS };
  const { prepare, ...runner } = openDriver(env, options);
  return createHandle(prepare, runner);
}

const takeFirst = <Value>([first]: Value[]) => first;

/** Names the actor and the operation that cause the changes of a handle; the triggers of the audit log write them down. */
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
  const driver = openDriver(env, { requestId, countRequest, timeoutMs: REQUEST_TIMEOUT_MS });
  const setting = JSON.stringify({ kind: actor.kind, id: actor.id, name: actor.name, action, request_id: requestId });
  const setActor = () => driver.prepare("select set_config('audit.actor', $1, true)", [setting]);
  const runAll = async (queries: Query[]) => (await driver.runAll([setActor(), ...queries])).slice(1);
  return createHandle(driver.prepare, { run: (query) => runAll([query]).then(takeFirst), runAll });
}

/** A statement that is sent when it is awaited, or as a part of a transaction. */
export type Query = NeonQueryPromise<boolean, boolean>;

type Prepare = (text: string, params: unknown[], options?: Query["opts"]) => Query;

interface Runner {
  run(query: Query): Promise<unknown>;
  /** In one transaction. */
  runAll(queries: Query[]): Promise<unknown[]>;
}

type Client = ReturnType<typeof neon>;

/** By connection string; the requests of an isolate share one. */
const clients = new Map<string, Client>();

function getClient(url: string): Client {
  let client = clients.get(url);
  if (!client) {
    client = neon(url);
    clients.set(url, client);
    // Registers Drizzle's parsers with the driver.
    drizzle(client);
  }
  return client;
}

function openDriver(env: DatabaseEnv, options: Omit<SendOptions, "endpoint">): Runner & { prepare: Prepare } {
  const client = getClient(env.DATABASE_URL);
  const fetchOptions = { ...options, endpoint: env.DATABASE_FETCH_URL } satisfies SendOptions;
  return {
    prepare: (text, params, options) => client.query(text, params, options),
    run: ({ execute, queryData, opts }) => execute(queryData, { ...opts, fetchOptions }),
    runAll: (queries) => client.transaction(queries as Parameters<Client["transaction"]>[0], { fetchOptions }),
  };
}

const dialect = new PgDialect();

/** Creates the handle that `drizzle()` returns, without registering its parsers again for every handle. */
function createHandle(prepare: Prepare, { run, runAll }: Runner): Db {
  const query: Prepare = (text, params, options) => {
    const statement = prepare(text, params, options);
    return new NeonQueryPromise(() => run(statement), statement.queryData, options);
  };
  const client = Object.assign(query, { query, transaction: runAll }) as unknown as Client;
  const db: Db = new NeonHttpDatabase(dialect, new NeonHttpSession(client, dialect, undefined), undefined);
  return Object.assign(db, { $client: client });
}

/** The database has responded with this error; what `fetch` throws is the source of an error of the driver. */
export function isDatabaseResponse(error: unknown): boolean {
  return error instanceof NeonDbError && error.sourceError === undefined;
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
