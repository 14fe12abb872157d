// Pages of lists that are sorted newest first, by offset or by cursor.
import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { RowPosition } from "../schemas/pagination.ts";
import { encodeCursor, type Position } from "../shared/cursor.ts";
import { instant } from "./sql.ts";

export interface Paging {
  limit: number;
  /** Counted from the cursor, if there is one. */
  offset: number;
  cursor?: RowPosition | undefined;
}

/** The rows after the cursor in the order `at desc, id desc`. */
export function isAfterCursor(at: PgColumn, id: PgColumn, cursor: RowPosition | undefined): SQL | undefined {
  return cursor && sql`(${at}, ${id}) < (${instant(cursor.at)}, ${cursor.id}::uuid)`;
}

/** The first `limit` of up to `limit + 1` rows, and the cursor of the next page if there is one. */
export function toPage<Row>(
  rows: Row[],
  limit: number,
  toPosition: (last: Row) => Position,
): { rows: Row[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { rows: page, nextCursor: last === undefined ? null : encodeCursor(toPosition(last)) };
}

/** The position of a row in a list that is sorted newest first. */
export function toRowPosition({ createdAt, id }: { createdAt: Date; id: string }): Position {
  return [createdAt.getTime(), id];
}
