// The rows that an event keeps, as `to_jsonb` of Postgres writes them: lib/queries/event-rows.ts decodes them.

/** The columns of a row by their name in the database. */
export type JsonRow = Record<string, unknown>;

/** By noun: `post` has its deliveries, each with its account; `delivery` has one and its account; the others are one row. */
export type EventSnapshot = JsonRow & { deliveries?: JsonRow[] };
