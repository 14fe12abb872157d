// Paging of lists: by `offset`, or by `cursor`, which neither skips nor repeats rows while others come and go.
import * as z from "zod";
import { decodeCursor } from "../shared/cursor.ts";
import { wholeNumber } from "./common.ts";

/** The position of a row in a list that is sorted newest first. */
export interface RowPosition {
  at: Date;
  id: string;
}

/** A parameter with a cursor for such positions; `field` is where the previous page returned it. */
export function cursorField<Output>(position: z.ZodType<Output>, field = "next_cursor") {
  return z
    .string()
    .max(500)
    .transform((text, context) => {
      const decoded = position.safeParse(decodeCursor(text));
      if (decoded.success) return decoded.data;
      context.addIssue({ code: "custom", message: `Must be the ${field} of the previous page.` });
      return z.NEVER;
    })
    .meta({ type: "string" });
}

/** Up to the year 2286. */
export const Milliseconds = z.int().min(0).max(9_999_999_999_999);

export const NewestFirst = z.tuple([Milliseconds, z.guid()]).transform(([ms, id]) => ({ at: new Date(ms), id }));

export interface PageSize {
  max: number;
  defaultLimit: number;
}

/** `limit` and `offset` of a list. */
export function offsetFields({ max, defaultLimit }: PageSize) {
  return {
    limit: wholeNumber(1, max).default(defaultLimit),
    offset: wholeNumber(0, 999_999_999).default(0),
  };
}

/** `limit`, `offset` and `cursor` of a list that is sorted newest first. */
export function paginationFields(size: PageSize) {
  return { ...offsetFields(size), cursor: cursorField(NewestFirst).optional() };
}

const nextCursor = z.string().nullable();

export const cursorPageFields = { next_cursor: nextCursor };

/** Every list returns these fields beside its records. */
export const pageFields = { total: z.int(), limit: z.int(), offset: z.int(), next_cursor: nextCursor };
