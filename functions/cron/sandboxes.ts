// Runs each minute: enqueues the test scopes in which something falls due by their own clocks.
import { CRON_AHEAD_MS, enqueueDue, FIRST_ID } from "../../lib/jobs/enqueue.ts";
import { listDueSandboxes } from "../../lib/queries/sandboxes.ts";
import type { Services } from "../../lib/services/context.ts";

const SANDBOXES_PER_PAGE = 1_000;
const MAX_PAGES = 20;

export async function enqueueDueSandboxes(services: Services): Promise<void> {
  const enqueue = (ids: string[], delaySeconds: number) => {
    for (const id of ids) services.enqueueSandbox(id, delaySeconds);
  };
  let after: string | null = FIRST_ID;
  for (let page = 0; page < MAX_PAGES && after !== null; page++) {
    const now = services.clock();
    const until = new Date(now.getTime() + CRON_AHEAD_MS);
    const found = await listDueSandboxes(services.db, { after, until, limit: SANDBOXES_PER_PAGE });
    enqueueDue(enqueue, found.due, now);
    after = found.lastId;
  }
}
