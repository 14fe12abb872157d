// Neon's HTTP protocol in front of PGlite or of a real Postgres.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallCounter } from "./call-counter.ts";
import { readable } from "./damaged-state.ts";
import { parseJson, readRequestId, readText, sendJson, startHttpServer } from "./http-server.ts";
import {
  type Field,
  fromText,
  type QueryResult,
  type Statement,
  startPglite,
  startPostgres,
  type Text,
  toText,
} from "./postgres-engines.ts";

export type Database = {
  /** A connection string for `neon()`, to be used with `fetchEndpoint` set to `fetchUrl`. */
  url: string;
  fetchUrl: string;
  /** Returns the response to a POST to `fetchUrl`, without HTTP: for benchmarks that send hundreds of queries at a time. */
  respond(body: string, headers: NeonHeaders): Promise<{ status: number; body: unknown }>;
  /** Runs one statement without the call counter and stops, for seeds and tests. Values are parsed. */
  query<Row = Record<string, unknown>>(sql: string, params?: unknown[]): Promise<Row[]>;
  /** Calls the interceptor before every statement until it returns true; its own queries run first. */
  interceptOnce(interceptor: (statement: Statement) => Promise<boolean>): void;
  /** Runs a script of several statements, such as a migration. */
  exec(script: string): Promise<void>;
  /** The data of an embedded database, from which another one starts. */
  dump: (() => Promise<Blob>) | undefined;
  close(): Promise<void>;
};

/** By lower-case name. */
type NeonHeaders = IncomingMessage["headers"];

type Options = {
  dataDir?: string;
  databaseUrl?: string;
  /** An embedded database starts from it, if `dataDir` is new. */
  template?: Blob;
  port?: number;
  calls: CallCounter;
};

/** Of a database that listens on the port. */
export function getDatabaseAddresses(port: number): Pick<Database, "url" | "fetchUrl"> {
  return { url: `postgresql://local:local@127.0.0.1:${port}/local`, fetchUrl: `http://127.0.0.1:${port}/sql` };
}

export async function startDatabase({ dataDir, databaseUrl, template, port, calls }: Options): Promise<Database> {
  const engine =
    databaseUrl === undefined
      ? await readable(dataDir ?? "The database in memory", () => startPglite(dataDir, template))
      : startPostgres(databaseUrl);

  const interceptors = new Set<(statement: Statement) => Promise<boolean>>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST" || request.url !== "/sql") return sendJson(response, 404, { message: "Not found" });
    const { status, body } = await respond(await readText(request), request.headers);
    sendJson(response, status, body);
  }

  async function respond(text: string, headers: NeonHeaders): Promise<{ status: number; body: unknown }> {
    const parsed = parseRequest(text);
    if (parsed === null) return { status: 400, body: { message: "The body is not a query." } };
    const begin = parsed.batch ? toBeginStatement(headers) : null;
    for (const interceptor of [...interceptors]) {
      for (const statement of parsed.statements) if (await interceptor(statement)) interceptors.delete(interceptor);
    }
    try {
      const results = await calls.countCall("database", readRequestId({ headers }), () =>
        engine.run(parsed.statements, begin),
      );
      const formatted = results.map((result) => formatResult(result, headers));
      return { status: 200, body: parsed.batch ? { results: formatted } : formatted[0] };
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      return { status: 400, body: formatError(error) };
    }
  }

  const server = await startHttpServer({ name: "database", calls, port: port ?? 0, handle });
  return {
    ...getDatabaseAddresses(server.port),
    respond,
    async query<Row>(sql: string, params: unknown[] = []) {
      const [result] = await engine.run([{ query: sql, params: params.map(toText) }], null);
      return (result === undefined ? [] : result.rows.map((row) => toRowObject(result.fields, row, fromText))) as Row[];
    },
    exec: engine.exec,
    dump: engine.dump,
    interceptOnce: (interceptor) => void interceptors.add(interceptor),
    async close() {
      await server.close();
      await engine.close();
    },
  };
}

type ParsedRequest = { statements: Statement[]; batch: boolean };

function parseRequest(text: string): ParsedRequest | null {
  const body = parseJson(text);
  if (!isRecord(body)) return null;
  const batch = Array.isArray(body.queries);
  const statements = (Array.isArray(body.queries) ? body.queries : [body]).map(parseStatement);
  return statements.every((statement) => statement !== null) ? { statements, batch } : null;
}

function parseStatement(value: unknown): Statement | null {
  if (!isRecord(value) || typeof value.query !== "string") return null;
  // Every parameter is sent as text; Postgres infers the type.
  return { query: value.query, params: Array.isArray(value.params) ? value.params.map(toText) : [] };
}

const ISOLATION: Record<string, string> = {
  ReadUncommitted: "READ UNCOMMITTED",
  ReadCommitted: "READ COMMITTED",
  RepeatableRead: "REPEATABLE READ",
  Serializable: "SERIALIZABLE",
};

function toBeginStatement(headers: NeonHeaders): string {
  const isolation = ISOLATION[String(headers["neon-batch-isolation-level"])];
  const words = ["BEGIN"];
  if (isolation !== undefined) words.push(`ISOLATION LEVEL ${isolation}`);
  if (headers["neon-batch-read-only"] === "true") words.push("READ ONLY");
  if (headers["neon-batch-deferrable"] === "true") words.push("DEFERRABLE");
  return words.join(" ");
}

function formatResult({ command, rowCount, fields, rows }: QueryResult, headers: NeonHeaders) {
  const asArrays = headers["neon-array-mode"] === "true";
  const read = headers["neon-raw-text-output"] === "true" ? (_: Field, text: Text) => text : toJsonValue;
  const formatRow = (row: Text[]) =>
    asArrays ? fields.map((field, at) => read(field, row[at] ?? null)) : toRowObject(fields, row, read);
  return {
    command,
    rowCount,
    rowAsArray: asArrays,
    fields: fields.map((field) => ({ ...pickField(field), format: "text" })),
    rows: rows.map(formatRow),
  };
}

function pickField({ name, tableID, columnID, dataTypeID, dataTypeSize, dataTypeModifier }: Field): Field {
  return { name, tableID, columnID, dataTypeID, dataTypeSize, dataTypeModifier };
}

function toRowObject(
  fields: Field[],
  row: Text[],
  read: (field: Field, text: Text) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(fields.map((field, at) => [field.name, read(field, row[at] ?? null)]));
}

// bool, int2, int4, float4, float8, json and jsonb: the types that Neon converts to JSON unless raw text is requested.
const JSON_TYPES = new Set([16, 21, 23, 700, 701, 114, 3802]);

function toJsonValue(field: Field, text: Text): unknown {
  if (text === null || !JSON_TYPES.has(field.dataTypeID)) return text;
  if (field.dataTypeID === 16) return text === "t";
  return parseJson(text) ?? text;
}

const ERROR_FIELDS = [
  "message",
  "severity",
  "code",
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "where",
  "schema",
  "table",
  "column",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const;

type DatabaseError = Error & { code: string } & Partial<Record<(typeof ERROR_FIELDS)[number], string>>;

function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && "code" in error && "severity" in error;
}

function formatError(error: DatabaseError): Record<string, string | null> {
  return Object.fromEntries(ERROR_FIELDS.map((name) => [name, error[name] ?? null]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
