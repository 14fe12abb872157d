// The next free slot of the accounts of a post. What is free is decided by the statement that stores the post.
import type { SlotRequest, SlotTiming } from "../queries/slots.ts";
import type { PostDraft } from "../schemas/post-body.ts";
import { DAY_MS } from "../shared/durations.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { listCommonSlotTimes, SLOT_DAYS } from "../shared/slots.ts";
import { getPreparationMs, needsSlot } from "./first-attempt.ts";
import { getAccountIds, type References } from "./load-references.ts";
import { DEADLINE_AFTER_DUE_MS, NOW_TOLERANCE_MS } from "./timing.ts";

/** The statement chooses among so many; an account whose next 3,000 slots are all held has more posts than a year has hours. */
const MAX_CANDIDATES = 3_000;

export const NO_SLOTS = `No slot within ${SLOT_DAYS} days is free for all accounts of the post. Add slots with PUT /accounts/{accountId}/slots, so that the accounts have some in common, or send a time.`;

export const noSlotsError = (): ApiError =>
  apiError("no_slots", NO_SLOTS, { fields: [{ path: "scheduled_at", message: NO_SLOTS, code: "no_slots" }] });

/** The slots that a post may take, held ones included; null if it needs none. One that it has already is the first of them. */
export function listSlotCandidates(
  draft: PostDraft,
  { accounts }: References,
  now: Date,
  own: Date | null = null,
): Date[] | null {
  if (!own && !needsSlot(draft)) return null;
  const plans = [...accounts.values()].map(({ slotPlan }) => slotPlan ?? { timeZone: "UTC", slots: [] });
  const after = own ?? new Date(now.getTime() + NOW_TOLERANCE_MS);
  const times = listCommonSlotTimes(plans, after, new Date(now.getTime() + SLOT_DAYS * DAY_MS));
  return (own ? [own, ...times] : times).slice(0, MAX_CANDIDATES);
}

/** `postId` is the stored post that takes it; null for a new one. */
export function requestSlot(draft: PostDraft, times: Date[], postId: string | null): SlotRequest & SlotTiming {
  return {
    times,
    accountIds: getAccountIds(draft),
    postId,
    preparationMs: getPreparationMs(draft),
    deadlineMs: DEADLINE_AFTER_DUE_MS,
  };
}
