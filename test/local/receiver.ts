// A receiver of webhooks: it accepts and lists every request, and can be told to fail, stall or drop after reading.
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { CallCounter } from "./call-counter.ts";
import { parseJson, readText, sendJson, startHttpServer } from "./http-server.ts";

export interface ReceivedRequest {
  path: string;
  headers: Record<string, string>;
  /** As it was sent, so that its signature can be verified. */
  body: string;
  at: string;
}

const Behavior = z.strictObject({
  path: z.string().startsWith("/"),
  status: z.int().min(200).max(599).default(200),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default("ok"),
  times: z
    .int()
    .min(0)
    .default(1)
    .describe("How many requests of the path are answered so; 0 forgets what was told before."),
  stall_ms: z.int().min(0).max(120_000).default(0).describe("The time until the response begins."),
  stall_body_ms: z
    .int()
    .min(0)
    .max(120_000)
    .default(0)
    .describe("The time between the headers and the end of the body."),
  drop: z.boolean().default(false).describe("The connection is closed after the request was read."),
});
type Behavior = z.output<typeof Behavior>;

/** Of the last ones. */
const MAX_KEPT = 50_000;

const HELP =
  "GET /_received?path=/hook, DELETE /_received, POST /_behave {path, status, headers, body, times, stall_ms, drop}";

export async function startReceiver({ port, calls }: { port: number; calls: CallCounter }) {
  let received: ReceivedRequest[] = [];
  const behaviors: Behavior[] = [];

  const takeBehavior = (path: string): Behavior => {
    const found = behaviors.find((behavior) => behavior.path === path);
    if (!found) return Behavior.parse({ path });
    found.times -= 1;
    if (found.times <= 0) behaviors.splice(behaviors.indexOf(found), 1);
    return found;
  };

  const server = await startHttpServer({
    name: "receiver",
    calls,
    port,
    async handle(request, response) {
      const url = new URL(request.url ?? "/", "http://receiver");
      const body = await readText(request);
      switch (`${request.method} ${url.pathname}`) {
        case "GET /_received": {
          const path = url.searchParams.get("path");
          return sendJson(response, 200, path ? received.filter((one) => one.path === path) : received);
        }
        case "DELETE /_received":
          received = [];
          return sendJson(response, 200, {});
        case "POST /_behave": {
          const parsed = Behavior.safeParse(parseJson(body));
          if (!parsed.success) return sendJson(response, 422, { error: z.prettifyError(parsed.error), help: HELP });
          const { path, times } = parsed.data;
          if (times > 0) behaviors.push(parsed.data);
          else
            for (const one of behaviors.filter((known) => known.path === path))
              behaviors.splice(behaviors.indexOf(one), 1);
          return sendJson(response, 200, { told: times });
        }
      }
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      received.push({ path: url.pathname + url.search, headers, body, at: new Date().toISOString() });
      if (received.length > MAX_KEPT) received.shift();
      const behavior = takeBehavior(url.pathname);
      if (behavior.drop) return void request.socket.destroy();
      await sleep(behavior.stall_ms, undefined, { ref: false });
      response.writeHead(behavior.status, behavior.headers);
      response.write(behavior.body);
      await sleep(behavior.stall_body_ms, undefined, { ref: false });
      response.end();
    },
  });
  return server;
}
