// Sends requests in a thread and reports the CPU time that sending them took, apart from that of the servers in this process.
import { once } from "node:events";
import { Agent, type IncomingMessage, request as openRequest } from "node:http";
import { performance } from "node:perf_hooks";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

export interface SentRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
}

export interface SentBatch {
  /** Of the thread. */
  cpuMs: number;
  seconds: number;
}

interface Batch {
  requests: SentRequest[];
  concurrency: number;
}

export function openRequestThread() {
  const thread = new Worker(import.meta.filename);
  return {
    /** Sends all of them, so many at a time. Throws the first response that is an error. */
    async send(requests: SentRequest[], concurrency: number): Promise<SentBatch> {
      thread.postMessage({ requests, concurrency } satisfies Batch);
      const [result] = (await once(thread, "message")) as [SentBatch | { error: string }];
      if ("error" in result) throw new Error(result.error);
      return result;
    },
    close: () => thread.terminate(),
  };
}

const agent = new Agent({ keepAlive: true });

async function sendRequest({ url, body, ...options }: SentRequest): Promise<void> {
  const sent = openRequest(url, { ...options, agent }).end(body ?? undefined);
  const [response]: IncomingMessage[] = await once(sent, "response");
  if (!response) return;
  response.setEncoding("utf8");
  let text = "";
  for await (const part of response) text += part;
  if ((response.statusCode ?? 500) >= 400)
    throw new Error(`${options.method} ${url} returned ${response.statusCode}: ${text}`);
}

async function sendAll({ requests, concurrency }: Batch): Promise<SentBatch> {
  const began = performance.now();
  const before = process.threadCpuUsage();
  const waiting = requests.values();
  const loop = async () => {
    for (const request of waiting) await sendRequest(request);
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const { user, system } = process.threadCpuUsage(before);
  return { cpuMs: (user + system) / 1000, seconds: (performance.now() - began) / 1000 };
}

if (!isMainThread) {
  parentPort?.on("message", async (batch: Batch) => {
    const answer = await sendAll(batch).catch((error: unknown) => ({ error: String(error) }));
    parentPort?.postMessage(answer);
  });
}
