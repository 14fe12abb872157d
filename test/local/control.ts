// Levers of the local world over HTTP: what the last request cost, and faults that only the inside can cause.
import * as z from "zod";
import type { Calls } from "./calls.ts";
import { KEY_NAMES, type KeyName } from "./seed.ts";
import { parseJson, readText, sendJson, serve } from "./serve.ts";

const Stoppable = z.enum(["database", "redis", "bucket", "model", "speech"]);

const Lever = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("stop"), what: Stoppable, ms: z.int().min(1).max(120_000) }),
  z.strictObject({ do: z.literal("crash_worker") }),
  z.strictObject({ do: z.literal("tick") }),
  z.strictObject({ do: z.enum(["lock_project", "unlock_project", "edit_during_transcription"]), projectId: z.uuid() }),
  z.strictObject({ do: z.literal("create_product"), key: z.enum(KEY_NAMES).describe("Whose scope it belongs to.") }),
]);

const Delay = z.strictObject({ ms: z.number().min(0).max(10_000).describe("Latency of every call, in milliseconds.") });

export interface Levers {
  crash(): Promise<void>;
  tick(): Promise<void>;
  /** The id of a new product in the scope of the key. */
  createProduct(key: KeyName): Promise<string>;
  /** As the assistant does while it edits. */
  lockProject(projectId: string, locked: boolean): Promise<void>;
  /** As the web editor does, once: while the next captions of this project are made, before they are written. */
  editDuringTranscription(projectId: string): void;
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
          return sendJson(response, 200, { done: lever.data.do, ...(await pull(lever.data)) });
        }
        default:
          return sendJson(response, 404, {
            error:
              "GET /_calls, PUT /_calls {ms}, POST /_do {do: stop|crash_worker|tick|create_product|lock_project|unlock_project|edit_during_transcription}",
          });
      }
    },
  });

  /** What the lever tells of beside having been pulled. */
  async function pull(lever: z.infer<typeof Lever>): Promise<Record<string, string>> {
    switch (lever.do) {
      case "create_product":
        return { productId: await levers.createProduct(lever.key) };
      case "lock_project":
      case "unlock_project":
        await levers.lockProject(lever.projectId, lever.do === "lock_project");
        return {};
      case "edit_during_transcription":
        levers.editDuringTranscription(lever.projectId);
        return {};
      case "stop":
        calls.stop(lever.what, lever.ms);
        return {};
      case "tick":
        await levers.tick();
        return {};
      case "crash_worker":
        await levers.crash();
        return {};
    }
  }
}

function refuse(response: Parameters<typeof sendJson>[0], error: z.ZodError): void {
  sendJson(response, 422, { error: z.prettifyError(error) });
}
