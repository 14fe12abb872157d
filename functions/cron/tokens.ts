// Each minute: tokens that must be traded before they die are traded, whether anybody posts with them or not.
import type { World } from "../../lib/call.ts";
import { renewAgingTokens } from "../../lib/publishing/tokens.ts";

export async function tokensTick(world: World): Promise<void> {
  await renewAgingTokens(world);
}
