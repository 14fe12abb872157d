// Runs each minute: deletes connect links, consents and approval links that ended long ago.
import { cleanUpConnections } from "../../lib/accounts/cleanup.ts";
import * as approvals from "../../lib/queries/approvals.ts";
import type { Services } from "../../lib/services/context.ts";

/** Long enough to show beside the post who approved it. */
const KEEP_APPROVALS_MS = 90 * 24 * 60 * 60 * 1000;

export async function removeEnded(services: Services): Promise<void> {
  await cleanUpConnections(services);
  await approvals.removeEnded(services.db, new Date(services.clock().getTime() - KEEP_APPROVALS_MS));
}
