// What a post repeats or crowds among the other posts of its accounts. Neither prevents it from being published.
import type { NearbyPost } from "../queries/nearby-posts.ts";
import type { PostDraft } from "../schemas/post-body.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { DAY_MS, MINUTE_MS } from "../shared/durations.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import type { Warning } from "./check-post.ts";
import { selectAccountPosts } from "./content.ts";
import type { References } from "./load-references.ts";

/**
 * A post that waits for a slot is compared at the first of `slotTimes`. `postId` is the stored post itself, which does not
 * conflict with itself; null before.
 */
export function findConflicts(
  draft: PostDraft,
  references: References,
  now: Date,
  slotTimes: Date[] | null,
  postId: string | null,
): Warning[] {
  const at = (slotTimes?.[0] ?? draft.scheduledAt ?? now).getTime();
  const isWithin = (other: NearbyPost, ms: number) => Math.abs(other.at.getTime() - at) < ms;
  return selectAccountPosts(draft, references).flatMap(({ account, path: field, content }): Warning[] => {
    const label = `the ${PLATFORM_DETAILS[account.platform].name} account ${account.username}`;
    const others = account.nearbyPosts.filter((other) => other.postId !== postId);
    const textHash = sha256Hex(content.caption);
    const [same] = others.filter((other) => other.textHash === textHash && isWithin(other, DAY_MS));
    // A slot is taken by one post.
    const [close] = draft.schedule === "next_slot" ? [] : others.filter((other) => isWithin(other, MINUTE_MS));
    const warnings: Warning[] = [];
    if (same) {
      const message = `Another post of ${label} has the same text and goes out within 24 hours, at ${same.at.toISOString()}. Networks may reject or hide a repeated text. If it is not intended, change the caption, or delete one of the posts.`;
      warnings.push({ field, code: "duplicate_text", message });
    }
    if (close) {
      const message = `Another post of ${label} goes out within the same minute, at ${close.at.toISOString()}. If it is not intended, choose another time.`;
      warnings.push({ field, code: "posts_within_minute", message });
    }
    return warnings;
  });
}
