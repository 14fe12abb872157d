// Runs each minute: moves scheduled posts whose time was given by a clock whose rules have changed.
import { moveClockPosts } from "../../lib/publishing/move-clock-posts.ts";
import type { Services } from "../../lib/services/context.ts";

/** Away from the full hour, when most posts are due. */
const FULL_MINUTE = 23;
/** Pages of 500 posts: the next ones each minute, and twenty thousand each hour; later ones as their time comes nearer. */
const [PAGES, FULL_PAGES] = [1, 40];

export async function moveClockTimes(services: Services): Promise<void> {
  await moveClockPosts(services, services.clock().getUTCMinutes() === FULL_MINUTE ? FULL_PAGES : PAGES);
}
