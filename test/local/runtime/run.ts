// A process that runs the built Workers on workerd: the API listens on the port itself, without the proxies of `wrangler dev`.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parseEnv } from "node:util";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { at } from "../../../lib/shared/at.ts";
import { RUNTIME_OPTIONS, type RuntimeOptions, WORKERS } from "./build-workers.ts";
import { type BatchResult, createQueues, type SentBatch } from "./queues.ts";

/** The response to the message "cron" of the parent. */
export interface CronResult {
  error: string | null;
}

const [port, varsFile] = process.argv.slice(2) as [string, string];
const MODULE_TYPES: Record<string, string> = {
  ".js": "ESModule",
  ".wasm": "CompiledWasm",
  ".txt": "Text",
  ".bin": "Data",
};
const CONFIGURED: RuntimeOptions[] = JSON.parse(readFileSync(RUNTIME_OPTIONS, "utf8"));
const API = at(CONFIGURED, 0);
/** A queue binding is a call of this Worker, which hands the messages to this process. */
const QUEUES = {
  name: "queues",
  compatibilityDate: API.options.compatibilityDate,
  modules: [
    {
      type: "ESModule",
      path: "queues.js",
      contents: `import { WorkerEntrypoint } from "cloudflare:workers";
export class Producer extends WorkerEntrypoint {
  async sendBatch(messages, { delaySeconds = 0 } = {}) {
    const bodies = Array.from(messages, ({ body }) => body);
    const body = JSON.stringify({ queue: this.ctx.props.queue, bodies, delaySeconds });
    const response = await this.env.BROKER.fetch("http://queues/", { method: "POST", body });
    if (!response.ok) throw new Error(await response.text());
  }
}
export default {};`,
    },
  ],
};
const vars = parseEnv(readFileSync(varsFile, "utf8"));

const queues = createQueues(API.consumers, async (queue, messages) => {
  const api = await runtime.getWorker(API.options.name);
  return (await api.queue(queue, messages as never)) as BatchResult;
});

const runtime = new Miniflare(
  convertV4MiniflareOptions({
    host: "127.0.0.1",
    cf: false,
    log: new Log(LogLevel.WARN),
    workers: [
      ...CONFIGURED.map(toOptions),
      {
        ...QUEUES,
        serviceBindings: {
          async BROKER(request: { json(): Promise<unknown> }) {
            queues.send((await request.json()) as SentBatch);
            return new globalThis.Response() as never;
          },
        },
      },
    ],
  } as never),
);

/** As deployed, with the settings of the stack and with queues of this process. */
function toOptions({ options: configured }: RuntimeOptions, index: number) {
  const { modulesRules: _, queueProducers = {}, bindings, ...options } = configured;
  const { folder } = at(WORKERS, index);
  const producers = Object.entries(queueProducers as Record<string, { queueName: string }>).map(
    ([binding, { queueName }]) => [binding, { name: QUEUES.name, entrypoint: "Producer", props: { queue: queueName } }],
  );
  const files = readdirSync(folder).filter((file) => extname(file) in MODULE_TYPES);
  // The script is the first module; there is one.
  files.sort((a, b) => Number(extname(b) === ".js") - Number(extname(a) === ".js"));
  return {
    ...options,
    modulesRoot: folder,
    modules: files.map((file) => ({ type: MODULE_TYPES[extname(file)], path: join(folder, file) })),
    // The Workers that read settings are those that have this one.
    bindings: "ENVIRONMENT" in bindings ? { ...bindings, ...vars } : bindings,
    serviceBindings: { ...(options.serviceBindings as object), ...Object.fromEntries(producers) },
    queueConsumers: {},
    cronTriggers: [],
    ...(index === 0 ? { unsafeDirectSockets: [{ host: "127.0.0.1", port: Number(port) }] } : {}),
  };
}

process.on("message", async () => {
  const sendResult = (error: string | null) => process.send?.({ error } satisfies CronResult);
  try {
    const api = await runtime.getWorker(API.options.name);
    const { outcome } = await api.scheduled({ cron: "* * * * *" });
    sendResult(outcome === "ok" ? null : outcome);
  } catch (error) {
    sendResult(String(error));
  }
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void runtime.dispose().finally(() => process.exit(0)));
await runtime.ready;
