// Runs each minute: deletes objects that expired uploads and deleted files left in storage.
import type { Services } from "../../lib/services/context.ts";
import { runCleanup } from "../../lib/uploads/cleanup.ts";

export async function cleanUpStorage(services: Services): Promise<void> {
  await runCleanup(services);
}
