// A receiver of events that proves that it wants them: it echoes the challenge of a verification.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface EventReceiver {
  base: string;
  /** Holds what came, in order; a test empties it. */
  received: Received[];
  /** The statuses of responses to events, by path; 200 without one. */
  statuses: Record<string, number>;
  close(): void;
}

/** `/silent` echoes no challenge, and `/refuses` is no receiver. */
export async function startEventReceiver(): Promise<EventReceiver> {
  const received: Received[] = [];
  const statuses: Record<string, number> = {};
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString();
    const path = request.url ?? "";
    received.push({ path, headers: request.headers, body });
    const { type, challenge } = JSON.parse(body);
    if (path === "/silent" || type !== "verification") response.writeHead(statuses[path] ?? 200).end("{}");
    else if (path === "/refuses") response.writeHead(404).end();
    else response.writeHead(200).end(JSON.stringify({ challenge }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { base, received, statuses, close: () => server.close() };
}

export const newSecret = () => `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;

/** Throws if the signature is of another secret. */
export const verify = ({ body, headers }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
