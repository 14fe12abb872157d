// A database of its own for a section: on a real PostgreSQL server when one answers, otherwise embedded.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { migrate } from "../../functions/commands/migrate.ts";
import { createCallCounter } from "../local/call-counter.ts";
import { type Database, startDatabase } from "../local/database.ts";
import type { BenchContext } from "./section.ts";

const DEFAULT_SERVER = "postgres://postgres@127.0.0.1:5432/postgres";

export interface BenchDatabase {
  database: Database;
  /** For the title of a table: "PostgreSQL 15.2" or "the embedded database". */
  engine: string;
  /** Of the server; undefined for the embedded database. */
  databaseUrl: string | undefined;
  /** The settings of a Worker that uses it. */
  vars: Record<string, string>;
}

export async function openBenchDatabase({ stack, onCleanup }: BenchContext): Promise<BenchDatabase> {
  const server = process.env.LOCAL_POSTGRES_URL || DEFAULT_SERVER;
  const version = await run(server, "show server_version").catch(() => null);
  const name = `partner_bench_${randomBytes(6).toString("hex")}`;
  if (version) {
    await run(server, `create database ${name}`);
    onCleanup(() => run(server, `drop database ${name} with (force)`));
  }
  const databaseUrl = version ? Object.assign(new URL(server), { pathname: `/${name}` }).href : undefined;
  const database = await startDatabase({ calls: createCallCounter(), ...(databaseUrl ? { databaseUrl } : {}) });
  onCleanup(() => database.close());
  const config = { DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl };
  await migrate(config);
  const engine = version ? `PostgreSQL ${version.split(" ")[0]}` : "the embedded database";
  return { database, engine, databaseUrl, vars: { ...stack.vars, ...config } };
}

async function run(server: string, sql: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: server, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: "array" });
    return rows[0]?.[0] ?? null;
  } finally {
    await client.end();
  }
}
