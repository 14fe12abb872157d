// Tells the webhooks queue that a request may have written events.
import type { Services } from "../services/context.ts";
import type { Result } from "../shared/result.ts";
import type { AnySpec } from "./endpoint-spec.ts";
import type { VerifiedCaller } from "./pipeline-state.ts";

/** Enqueues the caller's scope after a write, if it has webhooks. */
export function enqueueEvents(
  { route }: Pick<AnySpec, "route">,
  { enqueueWebhooks }: Pick<Services, "enqueueWebhooks">,
  caller: Result<VerifiedCaller>,
): void {
  if (!caller.ok || !caller.value.hasWebhooks || route.startsWith("GET ")) return;
  enqueueWebhooks({ scopeIds: [caller.value.scope.id] }, 0);
}
