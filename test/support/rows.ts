// Rows of raw statements in tests.

/** The rows of a result; the caller names the type that the statement selects. */
export function toRows<Row>(result: { rows: Record<string, unknown>[] }): Row[] {
  return result.rows as unknown as Row[];
}
