// A migrated database for each worker, in its process: all files of a worker share it, and no worker waits for another one. Redis
// stays that of the local stack, because it would run by the clock that a test replaces.
import { openAsBlob } from "node:fs";
import { inject } from "vitest";
import { createCallCounter } from "../local/call-counter.ts";
import { type Database, startDatabase } from "../local/database.ts";

declare global {
  /** The settings for this database; undefined in projects that use the one of the local stack. */
  var workerDatabase: { DATABASE_URL: string; DATABASE_FETCH_URL: string } | undefined;
}

/** Answers calls to the database in this process, because HTTP takes longer than most statements. Other processes use its address. */
function answerWithoutHttp({ fetchUrl, respond }: Database): void {
  const sendRequest = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    if (input !== fetchUrl || typeof init?.body !== "string") return sendRequest(input, init);
    const headers = Object.fromEntries(new Headers(init.headers));
    try {
      const { status, body } = await respond(init.body, headers);
      return Response.json(body, { status });
    } catch (error) {
      // As `fetch` does for a lost connection.
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}

if (!globalThis.workerDatabase) {
  const template = await openAsBlob(inject("databaseTemplate"));
  const databaseUrl = inject("databaseServer") ?? undefined;
  const database = await startDatabase({ databaseUrl, template, calls: createCallCounter() });
  answerWithoutHttp(database);
  globalThis.workerDatabase = { DATABASE_URL: database.url, DATABASE_FETCH_URL: database.fetchUrl };
}
