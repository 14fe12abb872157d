// Each minute: everything that is due, or will be before the next tick, is nudged into the queue at its time.
import type { World } from "../../lib/call.ts";
import { nudgeDue } from "../../lib/publishing/nudge.ts";
import { NUDGE_WITHIN_MS } from "../../lib/publishing/timing.ts";
import * as deliveries from "../../lib/queries/deliveries.ts";

const IDS_PER_TICK = 5_000;

export async function publishTick(world: World): Promise<void> {
  const now = world.clock();
  const until = new Date(now.getTime() + NUDGE_WITHIN_MS);
  nudgeDue({ now, nudge: world.nudge }, await deliveries.upcoming(world.db, now, until, IDS_PER_TICK));
}
