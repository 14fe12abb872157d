// Postgres over HTTP: one Drizzle handle per request, with a time limit and the request's id on every call.
import { NeonDbError, neon, neonConfig } from "@neondatabase/serverless";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import type { Env } from "./env.ts";
import { refusalOf, unavailable } from "./errors.ts";

export type Db = NeonHttpDatabase<Record<string, never>>;

const TIME_LIMIT_MS = 4_000;

interface CallInit extends RequestInit {
  requestId: string;
}

neonConfig.fetchFunction = async (url: string, { requestId, ...init }: CallInit) => {
  const headers = new Headers(init.headers);
  headers.set("x-request-id", requestId);
  try {
    const answer = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
    if (answer.status >= 500) throw new Error(`HTTP ${answer.status}`);
    // Read within the time limit; the driver would wait for a stalled body for ever.
    return new Response(await answer.arrayBuffer(), { status: answer.status, headers: answer.headers });
  } catch (error) {
    throw unavailable("database", error);
  }
};

export function connect(env: Pick<Env, "DATABASE_URL" | "DATABASE_FETCH_URL">, requestId: string): Db {
  const { DATABASE_FETCH_URL: endpoint } = env;
  if (endpoint) neonConfig.fetchEndpoint = () => endpoint;
  return drizzle(neon(env.DATABASE_URL, { fetchOptions: { requestId } }));
}

/** The Postgres error behind a failed query: `code` 23505 is a broken unique index, `constraint` names it. */
function databaseError(error: unknown): { code?: string; constraint?: string } | null {
  for (let seen = error, depth = 0; seen instanceof Error && depth < 6; depth++) {
    if (seen instanceof NeonDbError) return { code: seen.code, constraint: seen.constraint };
    seen = seen.cause;
  }
  return null;
}

/** Classes 08, 53 and 57: the server is away, full or shutting down. */
export function databaseIsAway(error: unknown): boolean {
  return refusalOf(error) !== null || /^(08|53|57)/.test(databaseError(error)?.code ?? "");
}

/** Rows of a raw statement, under the caller's promise that `Row` is what the statement selects. */
export function rowsOf<Row>(result: { rows: Record<string, unknown>[] }): Row[] {
  return result.rows as unknown as Row[];
}
