// A web server that serves images and invalid content to tests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Client } from "../support/harness.ts";

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ImageHost {
  url: string;
  host: string;
  /** Registers a handler for a path and returns its URL. */
  at(path: string, handler: RequestHandler): string;
  /** The requested paths, in order. */
  requestedPaths: string[];
  close(): Promise<void>;
}

export async function startImageHost(): Promise<ImageHost> {
  const handlers = new Map<string, RequestHandler>();
  const requestedPaths: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://origin").pathname;
    requestedPaths.push(path);
    const handler = handlers.get(path);
    if (handler) return handler(request, response);
    response.writeHead(404).end("nothing here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  return {
    url,
    host,
    requestedPaths,
    at(path, handler) {
      handlers.set(path, handler);
      return url + path;
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

export const serveBytes =
  (body: Uint8Array | string, type = "application/octet-stream"): RequestHandler =>
  (_, response) =>
    response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);

export const serveRedirect =
  (location: string): RequestHandler =>
  (_, response) =>
    response.writeHead(302, { location }).end();

/** Adds an image; of private hosts only `hosts` are allowed. */
export function addImage(api: Client, packId: string, body: object, hosts: string[]) {
  const env = { ALLOWED_PRIVATE_HOSTS: hosts.join(",") };
  return api.call("POST", `/packs/${packId}/images`, { body, env });
}
