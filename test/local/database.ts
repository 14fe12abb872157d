// Neon's HTTP protocol in front of PGlite or of a real Postgres.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Calls } from "./calls.ts";
import {
  type Field,
  fromText,
  type Result,
  type Statement,
  startPglite,
  startPostgres,
  type Text,
  toText,
} from "./postgres.ts";
import { parseJson, readText, requestIdOf, sendJson, serve } from "./serve.ts";

export type Database = {
  /** A connection string for `neon()`, which reaches this database once `fetchEndpoint` is `fetchUrl`. */
  url: string;
  fetchUrl: string;
  /** Runs one statement past the counter and the stops, for seeds and tests; values arrive parsed. */
  query<Row = Record<string, unknown>>(sql: string, params?: unknown[]): Promise<Row[]>;
  /** Looks at what is about to be run until it answers true; what it does itself comes first. */
  ahead(look: (statement: Statement) => Promise<boolean>): void;
  /** Runs a script of several statements, such as a migration. */
  exec(script: string): Promise<void>;
  close(): Promise<void>;
};

type Options = { dataDir?: string; databaseUrl?: string; port?: number; calls: Calls };

export async function startDatabase({ dataDir, databaseUrl, port, calls }: Options): Promise<Database> {
  const engine = databaseUrl === undefined ? await startPglite(dataDir) : startPostgres(databaseUrl);

  const looks = new Set<(statement: Statement) => Promise<boolean>>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST" || request.url !== "/sql") return sendJson(response, 404, { message: "Not found" });
    const asked = readAsked(await readText(request));
    if (asked === null) return sendJson(response, 400, { message: "The body is not a query." });
    const begin = asked.batch ? beginOf(request) : null;
    for (const look of [...looks]) {
      for (const statement of asked.statements) if (await look(statement)) looks.delete(look);
    }
    try {
      const results = await calls.around("database", requestIdOf(request), () => engine.run(asked.statements, begin));
      const shown = results.map((result) => show(result, request));
      sendJson(response, 200, asked.batch ? { results: shown } : shown[0]);
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      sendJson(response, 400, showError(error));
    }
  }

  const server = await serve({ what: "database", calls, port: port ?? 0, answer });
  return {
    url: `postgresql://local:local@127.0.0.1:${server.port}/local`,
    fetchUrl: `${server.url}/sql`,
    async query<Row>(sql: string, params: unknown[] = []) {
      const [result] = await engine.run([{ query: sql, params: params.map(toText) }], null);
      return (result === undefined ? [] : result.rows.map((row) => asObject(result.fields, row, fromText))) as Row[];
    },
    exec: engine.exec,
    ahead: (look) => void looks.add(look),
    async close() {
      await server.close();
      await engine.close();
    },
  };
}

type Asked = { statements: Statement[]; batch: boolean };

function readAsked(text: string): Asked | null {
  const body = parseJson(text);
  if (!isRecord(body)) return null;
  const batch = Array.isArray(body.queries);
  const statements = (Array.isArray(body.queries) ? body.queries : [body]).map(readStatement);
  return statements.every((statement) => statement !== null) ? { statements, batch } : null;
}

function readStatement(value: unknown): Statement | null {
  if (!isRecord(value) || typeof value.query !== "string") return null;
  // Whatever the type, a parameter travels as text and Postgres infers what it is.
  return { query: value.query, params: Array.isArray(value.params) ? value.params.map(toText) : [] };
}

const ISOLATION: Record<string, string> = {
  ReadUncommitted: "READ UNCOMMITTED",
  ReadCommitted: "READ COMMITTED",
  RepeatableRead: "REPEATABLE READ",
  Serializable: "SERIALIZABLE",
};

function beginOf({ headers }: IncomingMessage): string {
  const isolation = ISOLATION[String(headers["neon-batch-isolation-level"])];
  const words = ["BEGIN"];
  if (isolation !== undefined) words.push(`ISOLATION LEVEL ${isolation}`);
  if (headers["neon-batch-read-only"] === "true") words.push("READ ONLY");
  if (headers["neon-batch-deferrable"] === "true") words.push("DEFERRABLE");
  return words.join(" ");
}

function show({ command, rowCount, fields, rows }: Result, { headers }: IncomingMessage) {
  const asArrays = headers["neon-array-mode"] === "true";
  const read = headers["neon-raw-text-output"] === "true" ? (_: Field, text: Text) => text : asJson;
  const showRow = (row: Text[]) =>
    asArrays ? fields.map((field, at) => read(field, row[at] ?? null)) : asObject(fields, row, read);
  return {
    command,
    rowCount,
    rowAsArray: asArrays,
    fields: fields.map((field) => ({ ...pickField(field), format: "text" })),
    rows: rows.map(showRow),
  };
}

function pickField({ name, tableID, columnID, dataTypeID, dataTypeSize, dataTypeModifier }: Field): Field {
  return { name, tableID, columnID, dataTypeID, dataTypeSize, dataTypeModifier };
}

function asObject(fields: Field[], row: Text[], read: (field: Field, text: Text) => unknown): Record<string, unknown> {
  return Object.fromEntries(fields.map((field, at) => [field.name, read(field, row[at] ?? null)]));
}

// bool, int2, int4, float4, float8, json and jsonb: what Neon itself turns into JSON when text is not asked for.
const JSON_TYPES = new Set([16, 21, 23, 700, 701, 114, 3802]);

function asJson(field: Field, text: Text): unknown {
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

function showError(error: DatabaseError): Record<string, string | null> {
  return Object.fromEntries(ERROR_FIELDS.map((name) => [name, error[name] ?? null]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
