// A web server of the tests' own, for pictures and for everything that is none.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Client } from "../harness.ts";

type Serves = (request: IncomingMessage, response: ServerResponse) => void;

export interface Origin {
  url: string;
  host: string;
  /** Serves at a path; the URL of it. */
  at(path: string, serves: Serves): string;
  /** The paths that were asked for, in order. */
  asked: string[];
  close(): Promise<void>;
}

export async function startOrigin(): Promise<Origin> {
  const served = new Map<string, Serves>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://origin").pathname;
    asked.push(path);
    const serves = served.get(path);
    if (serves) return serves(request, response);
    response.writeHead(404).end("nothing here");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${host}`;
  return {
    url,
    host,
    asked,
    at(path, serves) {
      served.set(path, serves);
      return url + path;
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

export const bytes =
  (body: Uint8Array | string, type = "application/octet-stream"): Serves =>
  (_, response) =>
    response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);

export const redirect =
  (location: string): Serves =>
  (_, response) =>
    response.writeHead(302, { location }).end();

/** Adds an image with nothing private allowed but the hosts that are named. */
export function addImage(api: Client, packId: string, body: object, hosts: string[]) {
  const env = { ALLOWED_PRIVATE_HOSTS: hosts.join(",") };
  return api.call("POST", `/packs/${packId}/images`, { body, env });
}
