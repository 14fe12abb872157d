// Each minute: refreshes that the queue lost or that waited for their time are nudged, and deleted targets taken away.
import type { World } from "../../lib/call.ts";
import { nudgeDue } from "../../lib/publishing/nudge.ts";
import { NUDGE_WITHIN_MS } from "../../lib/publishing/timing.ts";
import * as refreshes from "../../lib/queries/analytics-refreshes.ts";
import * as targets from "../../lib/queries/analytics-targets.ts";

const IDS_PER_TICK = 500;
/** Each may have hundreds of snapshots. */
const POSTS_PURGED_PER_TICK = 200;

export async function refreshTick(world: World): Promise<void> {
  const now = world.clock();
  const until = new Date(now.getTime() + NUDGE_WITHIN_MS);
  const due = await refreshes.upcoming(world.db, now, until, IDS_PER_TICK);
  nudgeDue({ now, nudge: world.nudgeRefreshes }, due);
  await targets.purge(world.db, POSTS_PURGED_PER_TICK);
}
