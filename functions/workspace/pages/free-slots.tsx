// Slots of accounts at which nothing goes out yet, as links to a post that fills them.
import type { FC } from "hono/jsx";
import type { listSlotPlans } from "../../../lib/queries/slots.ts";
import { listSlotTimes } from "../../../lib/shared/slots.ts";
import { findOccurrence, toWallClock } from "../../../lib/shared/time-zone.ts";
import type { PageContext } from "../page.ts";
import { Occurrence } from "./calendar-entry.tsx";

export interface FreeSlot {
  at: Date;
  /** As the clock of the workspace shows it: `2026-11-24T09:30`. */
  local: string;
  accountId: string;
  username: string;
}

interface Range {
  after: Date;
  until: Date;
  timeZone: string;
}

export function listFreeSlots(
  plans: Awaited<ReturnType<typeof listSlotPlans>>,
  { after, until, timeZone }: Range,
): FreeSlot[] {
  const free = plans.flatMap(({ accountId, username, held, ...plan }) => {
    const taken = new Set(held.map(({ at }) => at.getTime()));
    return listSlotTimes(plan, after, until)
      .filter((at) => !taken.has(at.getTime()))
      .map((at) => ({ at, local: toWallClock(at, timeZone), accountId, username }));
  });
  return free.sort((a, b) => a.at.getTime() - b.at.getTime());
}

/** A cell of a month has room for these. */
const PER_CELL = 3;

export const FreeSlots: FC<{ c: PageContext; slots: FreeSlot[]; isWhole?: boolean }> = ({ c, slots, isWhole }) => {
  const shown = isWhole ? slots : slots.slice(0, PER_CELL);
  return shown.length === 0 ? null : (
    <ul class="slots">
      {shown.map(({ at, local, accountId, username }) => {
        const occurrence = findOccurrence(at, c.var.timeZone);
        const query = { at: local, ...(occurrence ? { on_overlap: occurrence } : {}), account: accountId };
        return (
          <li>
            <a href={`/dashboard/${c.var.workspace.id}/compose?${new URLSearchParams(query)}`}>
              <span class="visually-hidden">Fill the free slot at </span>
              {local.slice(11, 16)}
              {occurrence && <Occurrence name={occurrence} />} <span aria-hidden="true">+</span>{" "}
              <span class="title">{username}</span>
            </a>
          </li>
        );
      })}
      {shown.length < slots.length && <li class="hint">{slots.length - shown.length} more free slots</li>}
    </ul>
  );
};
