// Intercepts the statements of a database handle below Drizzle, so that query builders and raw SQL are both covered.
import type { FullQueryResults, NeonQueryFunction } from "@neondatabase/serverless";
import { drizzle } from "drizzle-orm/neon-http";
import type { Db } from "../../lib/services/database.ts";

type Client = NeonQueryFunction<false, false>;
export type StatementResult = Pick<FullQueryResults<boolean>, "rows">;

/** Returns a handle whose statements pass through `handle`; `run` executes the statement. Batches are not intercepted. */
export function interceptStatements(
  db: Db,
  handle: (text: string, params: unknown[], run: () => Promise<StatementResult>) => Promise<StatementResult>,
): Db {
  const { $client } = db as Db & { $client: Client };
  const query = (text: string, params: unknown[] = [], options = {}) =>
    handle(text, params, () => $client.query(text, params, { ...options, fullResults: true }));
  const intercepted: Db = drizzle(Object.assign(query, { query }) as unknown as Client);
  // A batch needs the lazy queries of the driver, so it is executed by the original handle.
  return Object.assign(intercepted, { batch: db.batch.bind(db) });
}
