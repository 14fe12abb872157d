// A migrated database of its own, so that other tests do not wait for large inserts.
import { migrate } from "../../functions/commands/migrate.ts";
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
  const database = await startDatabase({ calls: createCallCounter() });
  const config = { DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl };
  await migrate(config);
  return { database, db: openDatabase(config, name), config };
}
