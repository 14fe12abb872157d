// The state of the deliveries of a post before their first attempt.
import type { FirstAttempt } from "../queries/posts.ts";
import type { PostDraft } from "../schemas/post-body.ts";
import { listPostMedia, type MediaOfPost } from "../shared/post-content.ts";
import type { PostMedia } from "../shared/post-media.ts";
import { NEXT_SLOT, type PostTime } from "../shared/schedule.ts";
import { DEADLINE_AFTER_DUE_MS, NOW_TOLERANCE_MS, PREPARE_AHEAD_MS } from "./timing.ts";

/** A draft is due when it is committed. */
export const NOT_DUE: FirstAttempt = { status: "draft", dueAt: null, nextAttemptAt: null, deadlineAt: null };

/** Due at a slot that the statement takes which stores the post. */
const AT_SLOT: FirstAttempt = { ...NOT_DUE, status: "scheduled" };

/** The post takes the next free slot when it is stored. */
export const needsSlot = ({ schedule, scheduledAt }: Pick<PostTime, "schedule" | "scheduledAt">): boolean =>
  schedule === NEXT_SLOT && scheduledAt === null;

/** Due at the scheduled time, or now when none is given or it is at most `NOW_TOLERANCE_MS` ahead. */
export function planFirstAttempt(
  post: Pick<PostDraft, "schedule" | "scheduledAt" | "media"> & Partial<Pick<PostDraft, "overrides">>,
  now: Date,
): FirstAttempt {
  if (needsSlot(post)) return AT_SLOT;
  const aheadMs = post.scheduledAt ? post.scheduledAt.getTime() - now.getTime() : 0;
  const dueInMs = aheadMs > NOW_TOLERANCE_MS ? aheadMs : 0;
  const at = (ms: number) => new Date(now.getTime() + ms);
  return {
    status: dueInMs > 0 ? "scheduled" : "pending",
    dueAt: at(dueInMs),
    nextAttemptAt: at(Math.max(0, dueInMs - getPreparationMs(post))),
    deadlineAt: at(dueInMs + DEADLINE_AFTER_DUE_MS),
  };
}

/** Returns how long before it is due a post is prepared. Text or one image takes no longer than the preparation would. */
export function getPreparationMs({ media, overrides }: Pick<MediaOfPost, "media" | "overrides">): number {
  const isLong = (one: PostMedia) => one.type !== "slideshow" || one.urls.length > 1;
  return listPostMedia({ media, overrides }).some(isLong) ? PREPARE_AHEAD_MS : 0;
}
