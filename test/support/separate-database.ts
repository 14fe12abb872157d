// A migrated database of its own, so that other tests do not wait for large inserts.
import { openAsBlob } from "node:fs";
import { inject } from "vitest";
import { type Db, openDatabase } from "../../lib/services/database.ts";
import { createCallCounter } from "../local/call-counter.ts";
import { type Database, startDatabase } from "../local/database.ts";

export interface SeparateDatabase {
  database: Database;
  db: Db;
  /** The bindings of a Worker that uses it. */
  config: { DATABASE_URL: string; DATABASE_FETCH_URL: string };
}

/** `name` is the request id of its queries. */
export async function openSeparateDatabase(name: string): Promise<SeparateDatabase> {
  const template = await openAsBlob(inject("databaseTemplate"));
  const database = await startDatabase({ template, calls: createCallCounter() });
  const config = { DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl };
  return { database, db: openDatabase(config, name), config };
}
