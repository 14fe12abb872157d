// Typed helpers for SQL that Drizzle's query builder does not support: raw statements with decoded rows, JSON objects, array parameters.
import { Column, fillPlaceholders, type GetColumnData, is, Placeholder, type Query, SQL, sql } from "drizzle-orm";
import { type PgColumn, PgDialect } from "drizzle-orm/pg-core";
import { PgRaw } from "drizzle-orm/pg-core/query-builders/raw";
import type { Db, ReadOnlyDb } from "../services/database.ts";

/** An expression with its decoder. Plain `sql<T>` values are returned as the driver returns them. */
type Decoded<T> = SQL<T> & { decode: (value: unknown) => T };

type Fields = Record<string, Column | SQL>;
type ValueOf<Expression> =
  Expression extends SQL<infer T> ? T : Expression extends Column ? GetColumnData<Expression> : never;
export type RowOf<Selected extends Fields> = { [Name in keyof Selected]: ValueOf<Selected[Name]> };

function decoded<T>(expression: SQL, decode: (value: unknown) => T): Decoded<T> {
  return Object.assign(expression.mapWith(decode), { decode }) as Decoded<T>;
}

type Decoder = (value: unknown) => unknown;

function toDecoder(expression: Column | SQL): Decoder {
  if (is(expression, Column)) return (value) => (value === null ? null : expression.mapFromDriverValue(value));
  return "decode" in expression ? (expression as Decoded<unknown>).decode : (value) => value;
}

/** Decoders by select list, kept because choosing a decoder takes longer than decoding a value. */
const DECODERS = new WeakMap<Fields, (readonly [name: string, decode: Decoder])[]>();

function listDecoders(fields: Fields): (readonly [name: string, decode: Decoder])[] {
  const known = DECODERS.get(fields);
  if (known) return known;
  const decoders = Object.entries(fields).map(([name, expression]) => [name, toDecoder(expression)] as const);
  DECODERS.set(fields, decoders);
  return decoders;
}

function decodeRow<Selected extends Fields>(fields: Selected, row: unknown): RowOf<Selected> {
  if (typeof row !== "object" || row === null) throw new Error("the database returned something that is not a row");
  const values = row as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const [name, decode] of listDecoders(fields)) {
    // A missing key means that the statement did not include the select list. Null is a valid value.
    if (!(name in values)) throw new Error(`the database returned no ${name}`);
    result[name] = decode(values[name]);
  }
  return result as RowOf<Selected>;
}

/**
 * Runs a raw statement; do not call `db.execute` directly. `statement` receives the select list built from `fields`, for
 * its SELECT or RETURNING. Each row has the keys of `fields`, decoded by the column mappers. Await the result, or pass it
 * to `db.batch`.
 */
export function rawQuery<Selected extends Fields>(
  db: ReadOnlyDb,
  fields: Selected,
  statement: (list: SQL) => SQL,
): PgRaw<RowOf<Selected>[]> {
  return runQuery(db, fields, statement(toSelectList(fields)));
}

function runQuery<Selected extends Fields>(db: ReadOnlyDb, fields: Selected, statement: SQL): PgRaw<RowOf<Selected>[]> {
  const query = db.execute(statement);
  const decodeRows = (result: unknown) => (result as Awaited<typeof query>).rows.map((row) => decodeRow(fields, row));
  return new PgRaw(async () => decodeRows(await query), query.getSQL(), query.getQuery(), decodeRows);
}

/** A raw statement whose rows are not read: INSERT ... SELECT, a lock, SET LOCAL. */
export function rawCommand(db: Db, statement: SQL): PgRaw<Record<string, never>[]> {
  return rawQuery(db, {}, () => statement);
}

/** A statement whose text is known already. */
class BuiltSql extends SQL {
  private readonly query: Query;

  constructor(query: Query) {
    super([]);
    this.query = query;
  }

  override toQuery(): Query {
    return this.query;
  }
}

/** The values of a statement, in the form that the driver sends: instants as ISO strings, lists as array literals. */
export type BoundValue = string | number | boolean | null;
type BoundValues<Values> = { [Name in keyof Values]: BoundValue | undefined };

/** A placeholder of each value that is given. */
type Placeholders<Values> = {
  [Name in keyof Values]: undefined extends Values[Name] ? Placeholder | undefined : Placeholder;
};

/**
 * A query like `rawQuery` for what every request reads: its text is built once per isolate and set of given values, because
 * building it takes longer than decoding its rows. A value that is undefined is left out.
 */
export function preparedQuery<Values extends BoundValues<Values>, Selected extends Fields>(
  fields: Selected,
  statement: (list: SQL, values: Placeholders<Values>) => SQL,
): (db: ReadOnlyDb, values: Values) => PgRaw<RowOf<Selected>[]> {
  const builtByNames = new Map<string, Query>();
  return (db, values) => {
    const names = Object.keys(values).filter((name) => values[name as keyof Values] !== undefined);
    const key = names.join();
    let built = builtByNames.get(key);
    if (!built) {
      const placeholders = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
      built = new PgDialect().sqlToQuery(statement(toSelectList(fields), placeholders as Placeholders<Values>));
      builtByNames.set(key, built);
    }
    const params = fillPlaceholders(built.params, values);
    return runQuery(db, fields, new BuiltSql({ sql: built.sql, params }));
  };
}

/** `expression as "name"` of each field. */
function toSelectList(fields: Fields): SQL {
  return sql.join(
    Object.entries(fields).map(([name, expression]) => sql`${expression} as ${sql.identifier(name)}`),
    sql`, `,
  );
}

/**
 * Keeps table names on the columns of an expression. In a single-table select list Drizzle omits them, and inside a
 * subquery the bare name would resolve to the subquery's column. Nesting the expression in another `sql` prevents this.
 */
export function qualified<T>(expression: SQL<T>): SQL<T> {
  const outer = sql<T>`${expression}`;
  return "decode" in expression ? decoded(outer, (expression as Decoded<T>).decode) : outer;
}

/** A column that is null when an outer-joined row is missing. */
export function nullable<Of extends Column>(column: Of): SQL<GetColumnData<Of> | null> {
  return decoded(sql`${column}`, toDecoder(column) as (value: unknown) => GetColumnData<Of> | null);
}

/** A nullable column that is never null in the rows of this statement. */
export function required<Of extends Column>(column: Of): SQL<NonNullable<GetColumnData<Of>>> {
  const decode = toDecoder(column);
  return decoded(sql`${column}`, (value) => {
    if (value === null) throw new Error(`the database returned no ${column.name}`);
    return decode(value) as NonNullable<GetColumnData<Of>>;
  });
}

/** An expression decoded like another one: a column of a CTE, or a value computed from it. */
export function typedAs<Of extends Column | SQL>(expression: SQL, other: Of): SQL<ValueOf<Of>> {
  return decoded(sql`${expression}`, toDecoder(other) as (value: unknown) => ValueOf<Of>);
}

/** A JSON object of columns and expressions, decoded by the column mappers, as in a plain select. */
export function jsonObject<Selected extends Fields>(fields: Selected): SQL<RowOf<Selected>> {
  const parts = Object.entries(fields).map(([name, expression]) => sql`${sql.raw(`'${name}'`)}, ${expression}`);
  return decoded(sql`json_build_object(${sql.join(parts, sql`, `)})`, (value) => decodeRow(fields, value));
}

/** A JSON object of the only row of `from`; null if there is none. */
export function optionalJsonObject<Selected extends Fields>(
  fields: Selected,
  { from }: { from: SQL },
): SQL<RowOf<Selected> | null> {
  const object = jsonObject(fields);
  return decoded(sql`(select ${object} ${from})`, (value) =>
    value === null ? null : (object as Decoded<RowOf<Selected>>).decode(value),
  );
}

/**
 * One object per row of `from`, in the order given; an empty list if there are no rows. The type is `json`, which Postgres
 * builds in two thirds of the time of `jsonb`; it has no equality, so a statement cannot sort or group by it.
 */
export function jsonList<Selected extends Fields>(
  fields: Selected,
  { from, orderBy }: { from: SQL; orderBy?: SQL },
): SQL<RowOf<Selected>[]> {
  const order = orderBy ? sql` order by ${orderBy}` : sql``;
  return jsonRows(fields, sql`coalesce((select json_agg(${jsonObject(fields)}${order}) ${from}), '[]')`);
}

/** Decodes a JSON list of objects with these keys. For a function of the database the fields only decode: its migration has the SQL. */
export function jsonRows<Selected extends Fields>(fields: Selected, list: SQL): SQL<RowOf<Selected>[]> {
  return decoded(list, (value) => {
    if (!Array.isArray(value)) throw new Error("the database returned something that is not a list");
    return value.map((row) => decodeRow(fields, row));
  });
}

/** A parameter for a `jsonb` column. */
export function json(value: unknown): SQL {
  return sql`${value === null ? null : JSON.stringify(value)}::jsonb`;
}

/** A parameter for a column of instants. */
export function instant(value: Date | null): SQL {
  return sql`${value?.toISOString() ?? null}::timestamptz`;
}

/** Ids as one parameter, for `= any(...)` and `unnest`. Must be UUIDs: they are not escaped inside the array literal. */
export function uuidArray(ids: readonly string[]): SQL {
  return sql`${`{${ids.join(",")}}`}::uuid[]`;
}

export function textArray(values: readonly string[]): SQL {
  return sql`${sql.param([...values])}::text[]`;
}

/**
 * Rows passed as one JSON parameter and used in FROM under `name`: `select name.* from ${recordSet("name", ...)}`. The
 * column types are those of `columns`. A prepared query passes the placeholder of the JSON.
 */
export function recordSet<Columns extends Record<string, PgColumn>>(
  name: string,
  columns: Columns,
  rows: readonly { [Name in keyof Columns]?: unknown }[] | Placeholder,
): SQL {
  const json = is(rows, Placeholder) ? rows : JSON.stringify(rows);
  const definitions = Object.entries(columns).map(
    ([key, column]) => sql`${sql.identifier(key)} ${sql.raw(column.getSQLType())}`,
  );
  return sql`jsonb_to_recordset(${json}::jsonb) as ${sql.identifier(name)}(${sql.join(definitions, sql`, `)})`;
}

/** The values of a row in the form that the driver sends. */
export function toBoundValues<Row extends object>(
  columns: Record<keyof Row, PgColumn>,
  row: Row,
): Record<keyof Row, BoundValue> {
  const names = Object.keys(row) as (keyof Row)[];
  const bound = names.map((name) => [name, row[name] === null ? null : columns[name].mapToDriverValue(row[name])]);
  return Object.fromEntries(bound);
}

/** Unqualified column names, for INSERT and for the left side of an assignment. */
export function columnNames(columns: readonly Column[]): SQL {
  return sql.join(columns.map(columnName), sql`, `);
}

export function columnName(column: Column): SQL {
  return sql`${sql.identifier(column.name)}`;
}

/** The proposed value of a column in ON CONFLICT DO UPDATE. */
export function excluded(column: Column): SQL {
  return sql`excluded.${sql.identifier(column.name)}`;
}

/** Matches if a text contains another one, ignoring case. Wildcards in `text` are escaped. */
export function ilikeContains(column: SQL, text: string): SQL {
  return sql`${column} ilike ${`%${text.replace(/[\\%_]/g, "\\$&")}%`}`;
}
