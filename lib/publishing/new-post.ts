// Builds the rows of a new post from a validated request: due time, deliveries and payload hash.
import stringify from "safe-stable-stringify";
import { getFirstAttemptTime } from "../queries/post-updates.ts";
import type { NewPost, StoredContent } from "../queries/posts.ts";
import type { PostCreate } from "../schemas/post-body.ts";
import { sha256Hex } from "../shared/crypto.ts";
import type { IdGenerator } from "../shared/ids.ts";
import { toPostContent } from "./content.ts";
import { DEADLINE_AFTER_DUE_MS, NOW_TOLERANCE_MS, PREPARE_AHEAD_MS } from "./timing.ts";

/** Returns the scheduled time, or now when none is given or it is at most `NOW_TOLERANCE_MS` ahead. */
export function getDueTime(scheduledAt: Date | null | undefined, now: Date): Date {
  return scheduledAt && scheduledAt.getTime() - now.getTime() > NOW_TOLERANCE_MS ? scheduledAt : now;
}

/** How long before it is due a post is prepared. Text or one image takes no longer than the preparation would. */
export function getPreparationMs(media: StoredContent["media"]): number {
  return media && (media.type === "video" || media.urls.length > 1) ? PREPARE_AHEAD_MS : 0;
}

export function getAccountIds(body: Pick<PostCreate, "accounts">): string[] {
  return [...new Set(body.accounts.map(({ id }) => id.toLowerCase()))];
}

export function getMediaUrls(media: PostCreate["media"]): string[] {
  if (!media) return [];
  return [...new Set(media.type === "video" ? [media.url] : media.urls)];
}

export function buildPost(body: PostCreate, ids: IdGenerator, now: Date, draft: boolean): NewPost {
  const due = draft ? null : getDueTime(body.scheduled_at, now);
  const status = due === null ? "draft" : due > now ? "scheduled" : "pending";
  const id = ids();
  const content = {
    ...toPostContent(body),
    scheduledAt: body.scheduled_at ?? null,
    externalId: body.external_id ?? null,
  };
  const accountIds = getAccountIds(body);
  return {
    id,
    status,
    ...content,
    payloadHash: sha256Hex(stringify({ ...content, accountIds }) ?? ""),
    createdAt: now,
    deliveries: accountIds.map((accountId) => ({
      id: ids(),
      accountId,
      status,
      dueAt: due,
      nextAttemptAt: due && getFirstAttemptTime(due, getPreparationMs(content.media), now),
      deadlineAt: due && new Date(due.getTime() + DEADLINE_AFTER_DUE_MS),
    })),
  };
}
