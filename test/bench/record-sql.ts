// Runs GET requests in this process and records their SQL.
import functions from "../../functions/index.ts";
import { BASE_PATH } from "../../lib/shared/paths.ts";
import type { KeyName } from "../local/seed.ts";
import type { RecordedStatement } from "./bare-hono.ts";
import type { BenchContext } from "./section.ts";

export interface RecordedRequest {
  /** The statements of one request, in the order they are sent. */
  statements: RecordedStatement[];
  /** Sends the same HTTP requests to the database, without a Worker. */
  replay(): Promise<unknown>;
}

/** The second request of a key is recorded: the first one reads its credentials before the rest. */
export async function recordRequest({ stack }: BenchContext, key: KeyName, path: string): Promise<RecordedRequest> {
  const { DATABASE_FETCH_URL: url = "" } = stack.vars;
  const vars = { ...stack.vars };
  const request = () =>
    new Request(`http://bench.test${BASE_PATH}${path}`, {
      headers: { authorization: `Bearer ${stack.seed.keys[key]}` },
    });
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  const context = { waitUntil, passThroughOnException() {} } as unknown as ExecutionContext;
  const send = async () => {
    const response = await functions.fetch(request(), vars, context);
    await response.text();
    if (response.status !== 200) throw new Error(`GET ${path} returned ${response.status}`);
  };
  /** Waits for work after the response while the globals are replaced. */
  const finish = async <Result>(work: Promise<Result>) => {
    const result = await work;
    await Promise.all(background.splice(0));
    return result;
  };

  const sent: { body: string; headers: Headers }[] = [];
  const recordFetch: typeof fetch = (input, init) => {
    if (String(input) === url && typeof init?.body === "string") {
      sent.push({ body: init.body, headers: new Headers(init.headers) });
    }
    return originalFetch(input, init);
  };
  const originalFetch = globalThis.fetch;
  await replaceGlobals(originalFetch, () => finish(send()));
  await replaceGlobals(recordFetch, () => finish(send()));
  if (sent.length === 0) throw new Error(`GET ${path} sent no statement`);

  return {
    statements: sent.flatMap(({ body }) => {
      const parsed = JSON.parse(body) as { queries?: RecordedStatement[] } & RecordedStatement;
      return parsed.queries ?? [parsed];
    }),
    replay: () => Promise.all(sent.map((statement) => sendStatement(url, statement))),
  };
}

/** Without the request log of the Worker. */
async function replaceGlobals<Result>(fetchFunction: typeof fetch, work: () => Promise<Result>): Promise<Result> {
  const [originalFetch, originalLog] = [globalThis.fetch, console.log];
  console.log = () => undefined;
  globalThis.fetch = fetchFunction;
  try {
    return await work();
  } finally {
    globalThis.fetch = originalFetch;
    console.log = originalLog;
  }
}

async function sendStatement(url: string, { body, headers }: { body: string; headers: Headers }): Promise<void> {
  const response = await fetch(url, { method: "POST", body, headers });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The database returned ${response.status}`);
}
