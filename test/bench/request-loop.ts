// Sends a request again and again in a thread: a client that shares none with the database and the client that is measured.
import { once } from "node:events";
import { Agent, type IncomingMessage, request as openRequest } from "node:http";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

export interface LoopRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  /** In bytes, so that no time of the thread goes into encoding it. */
  body: Uint8Array | null;
}

export interface RequestLoop {
  /** Sends one request after another. Resolves once the first is answered. */
  start(request: LoopRequest): Promise<void>;
  /** Resolves when the last request is answered. */
  stop(): Promise<void>;
  close(): Promise<unknown>;
}

export function openRequestLoop(): RequestLoop {
  const thread = new Worker(import.meta.filename);
  const send = async (message: LoopRequest | null) => {
    thread.postMessage(message);
    await once(thread, "message");
  };
  return { start: send, stop: () => send(null), close: () => thread.terminate() };
}

const agent = new Agent({ keepAlive: true });
let current: LoopRequest | null = null;
let running: Promise<void> | null = null;

/** `fetch` copies the body and streams it, which takes more CPU than the Worker takes to reject it. */
async function sendRequest({ url, body, ...options }: LoopRequest): Promise<void> {
  const sent = openRequest(url, { ...options, agent }).end(body ?? undefined);
  const [response]: IncomingMessage[] = await once(sent, "response");
  response?.resume();
  if (response) await once(response, "end");
}

async function repeat(): Promise<void> {
  while (current) await sendRequest(current);
}

if (!isMainThread) {
  parentPort?.on("message", async (request: LoopRequest | null) => {
    current = request;
    if (request) {
      await sendRequest(request);
      running = repeat();
    } else await running;
    parentPort?.postMessage("done");
  });
}
