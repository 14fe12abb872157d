// What a list is searched by.
import { type SQL, sql } from "drizzle-orm";

/** Whether a text holds another one, whatever the case; nothing in it is a wildcard. */
export function contains(column: SQL, text: string): SQL {
  return sql`${column} ilike ${`%${text.replace(/[\\%_]/g, "\\$&")}%`}`;
}
