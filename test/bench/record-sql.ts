// Runs GET requests in this process: records their SQL, and measures where their CPU time goes.
import { Session } from "node:inspector/promises";
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
  /** Microseconds of CPU time per request by what they are spent on, while the database responds at once. */
  profile(requests: number): Promise<Map<string, number>>;
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
  /** What a request does after its response ends while the globals are replaced. */
  const finish = async <Result>(work: Promise<Result>) => {
    const result = await work;
    await Promise.all(background.splice(0));
    return result;
  };

  const sent: { body: string; headers: Headers; answer: string }[] = [];
  const recordFetch: typeof fetch = async (input, init) => {
    const response = await originalFetch(input, init);
    if (String(input) !== url || typeof init?.body !== "string") return response;
    const answer = await response.text();
    sent.push({ body: init.body, headers: new Headers(init.headers), answer });
    return new Response(answer, { status: response.status });
  };
  const originalFetch = globalThis.fetch;
  await replaceGlobals(originalFetch, () => finish(send()));
  await replaceGlobals(recordFetch, () => finish(send()));
  if (sent.length === 0) throw new Error(`GET ${path} sent no statement`);

  const replayFetch: typeof fetch = async (input, init) => {
    if (String(input) !== url) return Response.json(answerCommands(String(init?.body)));
    return new Response(sent.find(({ body }) => body === init?.body)?.answer ?? sent[0]?.answer, { status: 200 });
  };
  return {
    statements: sent.flatMap(({ body }) => {
      const parsed = JSON.parse(body) as { queries?: RecordedStatement[] } & RecordedStatement;
      return parsed.queries ?? [parsed];
    }),
    replay: () => Promise.all(sent.map((statement) => sendStatement(url, statement))),
    profile: (requests) => replaceGlobals(replayFetch, () => finish(profileCpu(send, requests))),
  };
}

/** What Redis answers when nothing is limited: a result for each command of a pipeline. */
function answerCommands(body: string): unknown {
  const commands = JSON.parse(body) as unknown[];
  return Array.isArray(commands[0]) ? commands.map(() => ({ result: 1 })) : { result: 1 };
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

async function profileCpu(send: () => Promise<void>, requests: number): Promise<Map<string, number>> {
  for (let warmUp = 0; warmUp < requests / 4; warmUp++) await send();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 100 });
  await session.post("Profiler.start");
  for (let sent = 0; sent < requests; sent++) await send();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  const groups = new Map(
    profile.nodes.map(({ id, callFrame }) => [id, toGroup(callFrame.url, callFrame.functionName)]),
  );
  const spent = new Map<string, number>();
  for (const [at, id] of (profile.samples ?? []).entries()) {
    const group = groups.get(id) ?? "engine";
    spent.set(group, (spent.get(group) ?? 0) + (profile.timeDeltas?.[at] ?? 0) / requests);
  }
  spent.delete("idle");
  return spent;
}

/** The package or folder that a function lies in. */
function toGroup(url: string, functionName: string): string {
  if (functionName === "(idle)") return "idle";
  if (functionName === "(garbage collector)") return "garbage collector";
  const dependency = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (dependency) return dependency;
  const own = /\/((?:lib|functions)\/\w[\w-]*)\//.exec(url)?.[1];
  return own ?? (url.startsWith("node:") ? "Node (native code in workerd)" : "engine");
}

async function sendStatement(url: string, { body, headers }: { body: string; headers: Headers }): Promise<void> {
  const response = await fetch(url, { method: "POST", body, headers });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The database returned ${response.status}`);
}
