// The HTTP server under every outside service of the local world: it can be stopped by name and closes at once.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Calls } from "./calls.ts";

export type Served = { url: string; port: number; close(): Promise<void> };

type Serving = {
  what: string;
  calls: Calls;
  port: number;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

// Clients keep sockets in pools: a server that hangs up first would make their next call fail at random.
const KEEP_ALIVE_MS = 10 * 60_000;

export async function serve({ what, calls, port, answer }: Serving): Promise<Served> {
  // Uploads of gigabytes take as long as they take.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (calls.stopped(what)) return void request.socket.destroy();
    answer(request, response).catch((error: unknown) => {
      if (!request.socket.destroyed) console.error(`The local ${what} failed:`, error);
      request.socket.destroy();
    });
  });
  server.on("connection", (socket) => {
    if (calls.stopped(what)) socket.destroy();
  });
  const unsubscribe = calls.onStop(what, () => server.closeAllConnections());

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    async close() {
      unsubscribe();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The request of the API on whose behalf this call is made. */
export function requestIdOf(request: IncomingMessage): string | null {
  const id = request.headers["x-request-id"];
  return typeof id === "string" && id !== "" ? id : null;
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

/** The value that the text is, or undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
