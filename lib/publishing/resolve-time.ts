// The instant of a post whose time was given by a clock.
import type { FieldError } from "../shared/errors.ts";
import { isClockTime, NEXT_SLOT, type PostTime, resolveClockTime } from "../shared/schedule.ts";

/**
 * Resolves a time of a clock by the current rules of its zone: its own, or that of the workspace when it was given. The next slot
 * has no instant before it is taken.
 */
export function resolveTime<Draft extends PostTime>(draft: Draft, workspaceZone: string): Draft {
  const { schedule } = draft;
  if (schedule === NEXT_SLOT) return { ...draft, scheduledAt: null };
  if (!isClockTime(schedule)) return draft;
  const scheduleZone = schedule.time_zone ?? draft.scheduleZone ?? workspaceZone;
  const resolved = resolveClockTime(schedule, scheduleZone);
  return { ...draft, scheduleZone, scheduledAt: "at" in resolved ? resolved.at : null };
}

/** Why a resolved time of a clock has no instant: its zone skips it or shows it twice, and its own rules refuse that. */
export function findClockProblem({ schedule, scheduleZone, scheduledAt }: PostTime): FieldError | null {
  if (!isClockTime(schedule) || scheduledAt) return null;
  const resolved = resolveClockTime(schedule, scheduleZone ?? "UTC");
  return "at" in resolved ? null : { path: "scheduled_at", ...resolved };
}
