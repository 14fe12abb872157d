// Control endpoints of the local stack: call counts, delays and injected faults.
import * as z from "zod";
import { PERMISSIONS } from "../../lib/shared/permissions.ts";
import type { CallCounter } from "./call-counter.ts";
import { parseJson, readText, sendJson, startHttpServer } from "./http-server.ts";
import { KEY_NAMES, type KeyName } from "./seed.ts";

const StoppableService = z.enum(["database", "redis", "bucket", "model", "speech", "receiver", "pages"]);

const ControlRequest = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("stop"), what: StoppableService, ms: z.int().min(1).max(120_000) }),
  z.strictObject({ do: z.literal("crash_worker") }),
  z.strictObject({ do: z.literal("tick") }),
  z.strictObject({ do: z.enum(["lock_project", "unlock_project", "edit_during_transcription"]), projectId: z.uuid() }),
  z.strictObject({
    do: z.literal("allow_host"),
    host: z
      .string()
      .regex(
        /^(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$/,
        "Must be a host of this machine with its port, such as 127.0.0.1:4000.",
      ),
  }),
  z.strictObject({
    do: z.literal("change_zone_rules"),
    rules: z
      .array(
        z.strictObject({
          zone: z
            .string()
            .regex(/^[A-Za-z][\w/+-]*$/)
            .describe("IANA name, such as Europe/Berlin."),
          from: z.iso.datetime({ precision: 0 }).describe("The instant from which on the offset is valid."),
          offset: z.string().regex(/^[+-]\d{2}:\d{2}$/),
        }),
      )
      .max(20)
      .describe("Takes the place of rules that were changed before; an empty list restores those of IANA."),
  }),
  z.strictObject({
    do: z.literal("create_product"),
    key: z.enum(KEY_NAMES).describe("The key whose scope owns the product."),
  }),
  z.strictObject({
    do: z.literal("create_key"),
    key: z.enum(KEY_NAMES).describe("The key whose scope the new one is for."),
    permissions: z.array(z.enum(PERMISSIONS)).optional().describe("All without a list."),
    account_ids: z.array(z.uuid()).optional().describe("All accounts of the scope without a list."),
    expires_at: z.iso.datetime({ offset: true }).optional(),
    mode: z.enum(["live", "test"]).optional().describe("A test key is one of the test mode of the scope."),
  }),
]);

const Delay = z.strictObject({ ms: z.number().min(0).max(10_000).describe("Latency of every call, in milliseconds.") });

export type KeyRequest = Extract<z.infer<typeof ControlRequest>, { do: "create_key" }>;

export interface ControlActions {
  crashWorker(): Promise<void>;
  runCron(): Promise<void>;
  /** Lets the Worker call a private host. It restarts, unless the host was allowed before. */
  allowHost(host: string): Promise<void>;
  /** Restarts the Workers with other rules of time zones, as a deployment gets them, and runs cron, which moves posts. */
  changeZoneRules(rules: { zone: string; from: string; offset: string }[]): Promise<void>;
  /** Creates a product in the scope of the key and returns its id. */
  createProduct(key: KeyName): Promise<string>;
  /** Creates a key like the one of the name, and returns its token. */
  createKey(request: KeyRequest): Promise<string>;
  /** Sets or removes the lock that the assistant holds while it edits. */
  lockProject(projectId: string, locked: boolean): Promise<void>;
  /** Edits the project once, after the next transcription and before its captions are stored. */
  editDuringTranscription(projectId: string): void;
}

export function startControlServer({
  calls,
  actions,
  port,
}: {
  calls: CallCounter;
  actions: ControlActions;
  port: number;
}) {
  /** Without a request id, requests of cron and queue are skipped. */
  const report = (url: URL) =>
    calls.report(url.searchParams.get("request_id") ?? calls.findLastRequestId(/^(?!cron\.|queue\.)/));

  return startHttpServer({
    name: "control",
    calls,
    port,
    async handle(request, response) {
      const url = new URL(request.url ?? "/", "http://control");
      const readInput = () => readText(request).then(parseJson);
      switch (`${request.method} ${url.pathname}`) {
        case "GET /_calls":
          return sendJson(response, 200, report(url));
        case "PUT /_calls": {
          const delay = Delay.safeParse(await readInput());
          if (!delay.success) return sendValidationError(response, delay.error);
          calls.setDelay(delay.data.ms);
          return sendJson(response, 200, { ms_per_call: delay.data.ms });
        }
        case "POST /_do": {
          const parsed = ControlRequest.safeParse(await readInput());
          if (!parsed.success) return sendValidationError(response, parsed.error);
          return sendJson(response, 200, { done: parsed.data.do, ...(await runAction(parsed.data)) });
        }
        default:
          return sendJson(response, 404, {
            error:
              "GET /_calls, PUT /_calls {ms}, POST /_do {do: stop|crash_worker|tick|allow_host|change_zone_rules|create_product|create_key|lock_project|unlock_project|edit_during_transcription}",
          });
      }
    },
  });

  /** Returns additional fields of the response. */
  async function runAction(action: z.infer<typeof ControlRequest>): Promise<Record<string, string>> {
    switch (action.do) {
      case "create_product":
        return { productId: await actions.createProduct(action.key) };
      case "create_key":
        return { token: await actions.createKey(action) };
      case "lock_project":
      case "unlock_project":
        await actions.lockProject(action.projectId, action.do === "lock_project");
        return {};
      case "edit_during_transcription":
        actions.editDuringTranscription(action.projectId);
        return {};
      case "stop":
        calls.stop(action.what, action.ms);
        return {};
      case "allow_host":
        await actions.allowHost(action.host);
        return {};
      case "change_zone_rules":
        await actions.changeZoneRules(action.rules);
        return {};
      case "tick":
        await actions.runCron();
        return {};
      case "crash_worker":
        await actions.crashWorker();
        return {};
    }
  }
}

function sendValidationError(response: Parameters<typeof sendJson>[0], error: z.ZodError): void {
  sendJson(response, 422, { error: z.prettifyError(error) });
}
