// Two Postgres engines with results in Postgres' text format: embedded PGlite or a real server.
import { createRequire } from "node:module";
import { PGlite, protocol } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import pg from "pg";

export type Field = {
  name: string;
  tableID: number;
  columnID: number;
  dataTypeID: number;
  dataTypeSize: number;
  dataTypeModifier: number;
};
export type Text = string | null;
export type Statement = { query: string; params: Text[] };
export type QueryResult = { command: string; rowCount: number | null; fields: Field[]; rows: Text[][] };

export type Engine = {
  /** Runs the statements in order; with a `begin` statement, as one transaction. */
  run(statements: Statement[], begin: string | null): Promise<QueryResult[]>;
  /** Runs a script of several statements, such as a migration. */
  exec(script: string): Promise<void>;
  /** The data directory as an archive, from which another database starts. */
  dump?: () => Promise<Blob>;
  close(): Promise<void>;
};

/** Runs the statements in order until one fails. */
type RunAll = (statements: Statement[]) => Promise<QueryResult[]>;

const prepareValue = createRequire(import.meta.url)("pg/lib/utils.js").prepareValue as (value: unknown) => unknown;

/** Writes a JavaScript value as Postgres text: arrays as array literals, other objects as JSON. */
export function toText(value: unknown): Text {
  const prepared = prepareValue(value);
  if (prepared === null || prepared === undefined) return null;
  return prepared instanceof Uint8Array ? `\\x${Buffer.from(prepared).toString("hex")}` : String(prepared);
}

export function fromText(field: Field, text: Text): unknown {
  return text === null ? null : pg.types.getTypeParser(field.dataTypeID, "text")(text);
}

async function runStatements(runAll: RunAll, statements: Statement[], begin: string | null): Promise<QueryResult[]> {
  const rollback = () => runAll([{ query: "ROLLBACK", params: [] }]).catch(() => undefined);
  try {
    if (begin === null) return await runAll(statements);
    const transaction = [{ query: begin, params: [] }, ...statements, { query: "COMMIT", params: [] }];
    return (await runAll(transaction)).slice(1, -1);
  } catch (error) {
    if (begin !== null) await rollback();
    throw error;
  } finally {
    // A statement may be BEGIN; over HTTP no transaction outlives its request.
    if (begin === null && statements.some(({ query }) => /^\s*(begin|start)\b/i.test(query))) await rollback();
  }
}

export async function startPglite(dataDir: string | undefined, template?: Blob): Promise<Engine> {
  const lite = await PGlite.create({
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(template ? { loadDataDir: template } : {}),
    extensions: { vector, pg_trgm },
  });

  const { parse, bind, describe, execute, sync } = protocol.serialize;
  // All in one exchange: a transaction of two statements takes 1.06 instead of 1.48 ms, measured 2026-11-27. After an error,
  // Postgres skips the rest.
  const runAll: RunAll = async (statements) => {
    const messages = statements.flatMap(({ query, params }) => [
      parse({ text: query }),
      bind({ values: params }),
      describe({ type: "P" }),
      execute(),
    ]);
    const response = await lite.execProtocol(Buffer.concat([...messages, sync()]), { throwOnError: false });
    return readMessages(response.messages);
  };

  // The engine has one connection, and no other statement may run between a failed batch and its rollback.
  return {
    run: (statements, begin) => lite.runExclusive(() => runStatements(runAll, statements, begin)),
    async exec(script) {
      await lite.exec(script);
    },
    dump: () => lite.dumpDataDir("none"),
    close: () => lite.close(),
  };
}

type Message = Awaited<ReturnType<PGlite["execProtocol"]>>["messages"][number];

/** A result for each statement. */
function readMessages(messages: Message[]): QueryResult[] {
  const results: QueryResult[] = [];
  for (const message of messages) {
    if (message.name === "error") throw message;
    if (message.name === "bindComplete") results.push({ command: "", rowCount: null, fields: [], rows: [] });
    const result = results.at(-1);
    if (!result) continue;
    if (message.name === "rowDescription" && "fields" in message) result.fields = message.fields as Field[];
    if (message.name === "dataRow" && "fields" in message) result.rows.push(message.fields as Text[]);
    if (message.name === "commandComplete" && "text" in message && typeof message.text === "string") {
      const words = message.text.split(" ");
      const count = words.at(-1) ?? "";
      result.command = words[0] ?? "";
      result.rowCount = /^\d+$/.test(count) ? Number(count) : null;
    }
  }
  return results;
}

export function startPostgres(databaseUrl: string): Engine {
  // Settings of the database, which a migration may change, apply to new connections. Statements are sent without waiting for
  // the one before: in a transaction, Postgres rejects those that follow a failed one.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 20, maxLifetimeSeconds: 60, pipeline: true });
  // The pool replaces broken idle connections; without a listener, their errors would end the process.
  pool.on("error", () => undefined);
  const verbatim = { getTypeParser: () => (text: string) => text };

  const runOn =
    (client: pg.PoolClient): RunAll =>
    (statements) =>
      Promise.all(
        statements.map(async ({ query, params }) => {
          const config = {
            text: query,
            values: params,
            rowMode: "array",
            types: verbatim,
            queryMode: "extended",
          } as const;
          const { command, rowCount, fields, rows } = await client.query<Text[]>(config);
          return { command: command ?? "", rowCount, fields, rows };
        }),
      );

  return {
    async run(statements, begin) {
      const client = await pool.connect();
      try {
        return await runStatements(runOn(client), statements, begin);
      } finally {
        client.release();
      }
    },
    async exec(script) {
      await pool.query(script);
    },
    close: () => pool.end(),
  };
}
