// Runs each minute: the Worker of the pages for people mails what they have to know. Without that Worker there are no people.
import type { Services } from "../../lib/services/context.ts";
import { CRON_PATH } from "../../lib/shared/paths.ts";

export async function notifyPeople({ env }: Pick<Services, "env">): Promise<void> {
  const response = await env.workspaceWorker?.fetch(`http://workspace${CRON_PATH}`, { method: "POST" });
  await response?.body?.cancel();
  if (response && !response.ok) throw new Error(`notifications: the workspace Worker returned ${response.status}`);
}
