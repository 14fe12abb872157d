// Moves scheduled posts whose time was given by a clock, when the rules of its zone have changed.
import { FIRST_ID } from "../jobs/enqueue.ts";
import { listClockPosts, movePosts, type PostMove } from "../queries/clock-posts.ts";
import type { Services } from "../services/context.ts";
import { resolveTime } from "./resolve-time.ts";

const PAGE = 500;

/** Computes the times of the next posts again, the earliest first, and moves those that differ. */
export async function moveClockPosts(
  { db, clock, log, sandbox }: Pick<Services, "db" | "clock" | "log" | "sandbox">,
  maxPages: number,
) {
  const now = clock();
  let after = { at: now, id: FIRST_ID };
  let movedPosts = 0;
  for (let page = 0; page < maxPages; page++) {
    const found = await listClockPosts(db, after, PAGE, sandbox);
    const moves = found.flatMap((post): PostMove[] => {
      const { scheduledAt: to } = resolveTime(post, "UTC");
      const from = post.scheduledAt;
      return from && to && from.getTime() !== to.getTime() ? [{ id: post.id, from, to }] : [];
    });
    if (moves.length > 0) movedPosts += (await movePosts(db, moves, now)).length;
    const last = found.at(-1);
    if (found.length < PAGE || !last?.scheduledAt) break;
    after = { at: last.scheduledAt, id: last.id };
  }
  if (movedPosts > 0) log({ level: "info", moved_posts: movedPosts });
}
