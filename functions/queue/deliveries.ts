// The deliveries queue: every message names deliveries that may have something to do.
import type { World } from "../../lib/call.ts";
import type { DeliveryNudge } from "../../lib/env.ts";
import { publishDue } from "../../lib/publishing/publisher.ts";

export async function takeNudges(world: World, batch: MessageBatch<DeliveryNudge>): Promise<void> {
  const ids = batch.messages.flatMap(({ body }) => body.deliveryIds);
  await publishDue(world, [...new Set(ids)]);
}
