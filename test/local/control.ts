// Levers of the local world over HTTP: what the last request cost, and faults that only the inside can cause.
import * as z from "zod";
import type { Calls } from "./calls.ts";
import { parseJson, readText, sendJson, serve } from "./serve.ts";

const Stoppable = z.enum(["database", "redis", "bucket"]);

const Lever = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("stop"), what: Stoppable, ms: z.int().min(1).max(120_000) }),
  z.strictObject({ do: z.literal("crash_worker") }),
  z.strictObject({ do: z.literal("tick") }),
]);

const Delay = z.strictObject({ ms: z.number().min(0).max(10_000).describe("Latency of every call, in milliseconds.") });

export interface Levers {
  crash(): Promise<void>;
  tick(): Promise<void>;
}

export function startControl({ calls, levers, port }: { calls: Calls; levers: Levers; port: number }) {
  /** Calls of cron and queue are counted like others, and left out when the last request is asked for. */
  const report = (url: URL) => calls.report(url.searchParams.get("request_id") ?? calls.lastOf(/^(?!cron\.|queue\.)/));

  return serve({
    what: "control",
    calls,
    port,
    async answer(request, response) {
      const url = new URL(request.url ?? "/", "http://control");
      const given = () => readText(request).then(parseJson);
      switch (`${request.method} ${url.pathname}`) {
        case "GET /_calls":
          return sendJson(response, 200, report(url));
        case "PUT /_calls": {
          const delay = Delay.safeParse(await given());
          if (!delay.success) return refuse(response, delay.error);
          calls.setDelay(delay.data.ms);
          return sendJson(response, 200, { ms_per_call: delay.data.ms });
        }
        case "POST /_do": {
          const lever = Lever.safeParse(await given());
          if (!lever.success) return refuse(response, lever.error);
          await pull(lever.data);
          return sendJson(response, 200, { done: lever.data.do });
        }
        default:
          return sendJson(response, 404, {
            error: "GET /_calls, PUT /_calls {ms}, POST /_do {do: stop|crash_worker|tick}",
          });
      }
    },
  });

  async function pull(lever: z.infer<typeof Lever>): Promise<void> {
    if (lever.do === "stop") return calls.stop(lever.what, lever.ms);
    return lever.do === "tick" ? levers.tick() : levers.crash();
  }
}

function refuse(response: Parameters<typeof sendJson>[0], error: z.ZodError): void {
  sendJson(response, 422, { error: z.prettifyError(error) });
}
