// Substring search.
import { type SQL, sql } from "drizzle-orm";

/** Whether a text contains another one, ignoring case. Wildcards in `text` are escaped. */
export function ilikeContains(column: SQL, text: string): SQL {
  return sql`${column} ilike ${`%${text.replace(/[\\%_]/g, "\\$&")}%`}`;
}
