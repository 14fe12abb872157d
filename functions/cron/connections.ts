// Runs each minute: deletes connect links and consents that ended long ago.
import { cleanUpConnections } from "../../lib/accounts/cleanup.ts";
import type { Services } from "../../lib/services/context.ts";

export async function removeEnded(services: Services): Promise<void> {
  await cleanUpConnections(services);
}
