// The deployment of a branch has queues that nobody consumes, and no cron: what is due in test mode runs after the response that
// made it due, by the consumer's own code, and what is due later when the clock is advanced or a later request enqueues something.
import { openServices } from "../services/context.ts";
import type { SandboxMessage } from "../services/env.ts";

type Bindings = Record<string, unknown>;

/** The bindings of an invocation; in previews with a queue of posts that is consumed at once. */
export function withPreviewQueue(env: Bindings, ctx: Pick<ExecutionContext, "waitUntil">): Bindings {
  if (env.ENVIRONMENT !== "preview") return env;
  const own: Bindings = { ...env };
  own.DELIVERIES = {
    async sendBatch(messages: { body: SandboxMessage }[], { delaySeconds = 0 }: QueueSendBatchOptions = {}) {
      if (delaySeconds > 0) return;
      const { runDue } = await import("./run.ts");
      const services = openServices(own, `preview.${crypto.randomUUID()}`, (work) => ctx.waitUntil(work));
      for (const { body } of messages) await runDue(services, body.sandboxId);
    },
  };
  return own;
}
