// Reads as values: the statements that leave together in one request are a list that somebody wrote down.
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { isDatabaseResponse, type ReadOnlyDb } from "../services/database.ts";
import { type Result, toResult, unwrap } from "../shared/result.ts";

type Queries = [BatchItem<"pg">, ...BatchItem<"pg">[]];

/** Statements and the value of their results. It is sent when it is awaited, or together with another by `sendTogether`. */
export interface Read<Value> extends PromiseLike<Value> {
  queries: Queries;
  toValue(results: readonly unknown[]): Value;
}

export function toRead<List extends Queries, Value>(
  db: ReadOnlyDb,
  queries: List,
  toValue: (results: BatchResponse<List>) => Value,
): Read<Value> {
  const read = { queries, toValue: toValue as Read<Value>["toValue"] };
  const send = async () => read.toValue(await sendAll(db, queries));
  // biome-ignore lint/suspicious/noThenProperty: a read is sent when it is awaited, as a query of Drizzle is.
  return { ...read, then: (resolve, reject) => send().then(resolve, reject) };
}

export const isRead = (value: unknown): value is Read<unknown> =>
  typeof value === "object" && value !== null && "queries" in value && "toValue" in value;

async function sendAll(db: ReadOnlyDb, queries: Queries): Promise<unknown[]> {
  return queries.length === 1 ? [await queries[0]] : db.batch(queries);
}

/** The first row of a query; null without one. */
export function readFirst<Row>(db: ReadOnlyDb, query: BatchItem<"pg"> & PromiseLike<Row[]>): Read<Row | null> {
  return toRead(db, [query], ([rows]: [Row[]]) => rows[0] ?? null);
}

/** All rows of a query. */
export function readRows<Row>(db: ReadOnlyDb, query: BatchItem<"pg"> & PromiseLike<Row[]>): Read<Row[]> {
  return toRead(db, [query], ([rows]: [Row[]]) => rows);
}

type Values<Reads> = { [Place in keyof Reads]: Reads[Place] extends Read<infer Value> ? Value : never };

/** Sends reads as one request, which is also one transaction. */
export async function readAll<Reads extends [Read<unknown>, ...Read<unknown>[]]>(
  db: ReadOnlyDb,
  reads: Reads,
): Promise<Values<Reads>> {
  const results = await sendAll(db, reads.flatMap(({ queries }) => queries) as Queries);
  return reads.map(({ queries, toValue }) => toValue(results.splice(0, queries.length))) as Values<Reads>;
}

/**
 * Sends two reads as one request. If the database rejects it, one of their statements fails and rolls back all, so each
 * read is sent again alone and gets its own error.
 */
export async function sendTogether<First, Second>(
  db: ReadOnlyDb,
  first: Read<First>,
  second: Read<Second>,
): Promise<[Result<First>, Result<Second>]> {
  const sent = await toResult(db.batch([...first.queries, ...second.queries]));
  if (!sent.ok && isDatabaseResponse(sent.error)) return Promise.all([toResult(first), toResult(second)]);
  const count = first.queries.length;
  const toValue = async <Value>(read: Read<Value>, from: number, to?: number) =>
    read.toValue(unwrap(sent).slice(from, to));
  return Promise.all([toResult(toValue(first, 0, count)), toResult(toValue(second, count))]);
}
