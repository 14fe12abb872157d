// Runs each minute: checks scheduled posts that are due in about an hour.

import { checkScheduled } from "../../lib/publishing/check-scheduled.ts";
import type { Services } from "../../lib/services/context.ts";

export async function checkScheduledPosts(services: Services): Promise<void> {
  await checkScheduled(services);
}
