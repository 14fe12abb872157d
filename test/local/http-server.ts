// The HTTP server of every service of the local stack: it can be stopped by name and closes immediately.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallCounter } from "./call-counter.ts";

export type HttpServer = { url: string; port: number; close(): Promise<void> };

type ServerOptions = {
  name: string;
  calls: CallCounter;
  port: number;
  /** Set where a signature in each request authorizes it, as for uploads to storage. */
  acceptsForeignPages?: boolean;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

// Clients pool sockets: if the server closed idle ones first, their next call would fail at random.
const KEEP_ALIVE_MS = 10 * 60_000;

export async function startHttpServer(options: ServerOptions): Promise<HttpServer> {
  const { name, calls, port, acceptsForeignPages = false, handle } = options;
  // No request timeout: uploads may be gigabytes.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    // The request has no socket any more once its response is sent, as after a body that was refused early.
    const { socket } = request;
    if (calls.isStopped(name)) return void socket.destroy();
    if (!acceptsForeignPages && isFromForeignPage(request)) {
      return sendJson(response, 403, { error: "Requests of web pages are rejected." });
    }
    handle(request, response).catch((error: unknown) => {
      if (!socket.destroyed) console.error(`The local ${name} failed:`, error);
      socket.destroy();
    });
  });
  server.on("connection", (socket) => {
    if (calls.isStopped(name)) socket.destroy();
  });
  const unsubscribe = calls.onStop(name, () => server.closeAllConnections());

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const boundPort = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${boundPort}`,
    port: boundPort,
    async close() {
      unsubscribe();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * A write that a web page of another origin sends: a browser names its origin, command-line clients and our Workers do not.
 * Not compared with the Host header, which is the page's own when its name resolves to this machine.
 */
function isFromForeignPage({ method, headers: { origin }, socket }: IncomingMessage): boolean {
  const own = ["127.0.0.1", "localhost"].map((host) => `http://${host}:${socket.localPort}`);
  return method !== "GET" && origin !== undefined && !own.includes(origin);
}

/** The id of the API request that caused this call. */
export function readRequestId(request: Pick<IncomingMessage, "headers">): string | null {
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

/** Returns undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
