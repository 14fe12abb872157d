// Each minute: what uploads and deleted files left in the buckets is removed once its time has come.
import type { World } from "../../lib/call.ts";
import { sweep } from "../../lib/media/sweep.ts";

export async function uploadsTick(world: World): Promise<void> {
  await sweep(world);
}
