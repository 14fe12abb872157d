// Sends a request again and again in a thread: a client that shares none with the database and the client that is measured.
import { once } from "node:events";
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

let current: LoopRequest | null = null;
let running: Promise<void> | null = null;

async function sendRequest({ url, ...init }: LoopRequest): Promise<void> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
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
