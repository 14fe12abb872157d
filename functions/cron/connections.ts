// Runs each minute: deletes connect links, consents, approval links and sign-ins that ended long ago.
import { cleanUpConnections } from "../../lib/accounts/cleanup.ts";
import { deleteEndedApprovalLinks } from "../../lib/queries/approvals.ts";
import { deleteEndedSignIns } from "../../lib/queries/sign-ins.ts";
import type { Services } from "../../lib/services/context.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";

/** Long enough to show beside the post who approved it. */
const KEEP_APPROVALS_MS = 90 * DAY_MS;

export async function removeEnded(services: Services): Promise<void> {
  await cleanUpConnections(services);
  const now = services.clock().getTime();
  await deleteEndedApprovalLinks(services.db, new Date(now - KEEP_APPROVALS_MS));
  await deleteEndedSignIns(services.db, new Date(now - DAY_MS));
}
