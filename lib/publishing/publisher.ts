// The publisher: claims what is due among the deliveries it was nudged about, and works until none of them is.
import type { World } from "../call.ts";
import { describeError } from "../describe-error.ts";
import * as deliveries from "../queries/deliveries.ts";
import { opened, settle } from "../settle.ts";
import { attempt } from "./attempt.ts";
import { nudgeDue } from "./nudge.ts";
import { LEASE_MS } from "./timing.ts";

/** Deliveries at work at once in one invocation; the platform allows six connections to wait for an answer. */
const AT_ONCE = 6;

/** One invocation has a limited number of subrequests and minutes; what is left then goes back to the queue. */
const CLAIMS_AT_MOST = 150;
const WORKS_FOR_MS = 5 * 60_000;

/** Serves these deliveries, and whatever else is due on the accounts it has served. */
export async function publishDue(world: World, ids: string[]): Promise<void> {
  const until = world.clock().getTime() + WORKS_FOR_MS;
  const accountIds = new Set<string>();
  const running = new Set<Promise<void>>();
  let claims = 0;
  for (;;) {
    const tired = claims >= CLAIMS_AT_MOST || world.clock().getTime() > until;
    const room = Math.min(AT_ONCE - running.size, CLAIMS_AT_MOST - claims);
    const next = await settle(tired ? Promise.resolve([]) : claim(world, ids, accountIds, room));
    // An invocation that ends takes with it what it has on the wire.
    if (!next.ok) await Promise.all(running);
    const claimed = opened(next);
    claims += claimed.length;
    for (const delivery of claimed) {
      accountIds.add(delivery.account.id);
      const work: Promise<void> = tried(world, delivery).finally(() => running.delete(work));
      running.add(work);
    }
    if (running.size === 0) return tired ? world.nudge(ids, 0) : undefined;
    if (claimed.length === 0 || running.size >= AT_ONCE) await Promise.race(running);
  }
}

function claim(world: World, ids: string[], accountIds: Set<string>, limit: number): Promise<deliveries.Claimed[]> {
  const now = world.clock();
  return deliveries.claim(world.db, {
    now,
    leaseUntil: new Date(now.getTime() + LEASE_MS),
    leaseToken: crypto.randomUUID(),
    ids,
    accountIds: [...accountIds],
    limit,
  });
}

async function tried(world: World, delivery: deliveries.Claimed): Promise<void> {
  try {
    const dueAt = await attempt({ ...world, random: Math.random }, delivery);
    nudgeDue({ now: world.clock(), nudge: world.nudge }, [{ id: delivery.id, dueAt }]);
  } catch (error) {
    // Not even the outcome could be written: the lease runs out and the next publisher goes on from the checkpoint.
    world.log({ level: "error", delivery: delivery.id, error: describeError(error) });
  }
}
