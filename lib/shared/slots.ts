// Weekly slots of an account: times of a clock at which posts go out, and the instants that they are.
import { DAY_MS, MINUTE_MS } from "./durations.ts";
import { addDays, getStartOfDay, toDay, toInstant } from "./time-zone.ts";

export interface Slot {
  /** 1 is Monday, 7 Sunday. */
  weekday: number;
  /** `09:00` */
  time: string;
}

export interface SlotPlan {
  timeZone: string;
  slots: Slot[];
}

export const MAX_SLOTS = 50;

/** A free slot is looked for within these days. */
export const SLOT_DAYS = 400;

/** The instants of the slots after `after` and until `until`, in order; a time that the clock skips is as much later. */
export function listSlotTimes({ timeZone, slots }: SlotPlan, after: Date, until: Date): Date[] {
  const times = new Set<number>();
  if (slots.length === 0) return [];
  const last = addDays(toDay(until, timeZone), 1);
  // A slot that the clock skips may be on the day after its own.
  for (let day = addDays(toDay(after, timeZone), -1); day <= last; day = addDays(day, 1)) {
    for (const at of listTimesOfDay(day, timeZone, slots))
      if (at > after.getTime() && at <= until.getTime()) times.add(at);
  }
  return [...times].sort((a, b) => a - b).map((at) => new Date(at));
}

function listTimesOfDay(day: string, timeZone: string, slots: Slot[]): number[] {
  const weekday = new Date(`${day}T00:00Z`).getUTCDay() || 7;
  const times = slots.filter((slot) => slot.weekday === weekday).map(({ time }) => time);
  if (times.length === 0) return [];
  const start = getStartOfDay(day, timeZone).getTime();
  // On a day without a change of the clock an instant is its distance from midnight: asking the zone takes longer.
  const isPlain = getStartOfDay(addDays(day, 1), timeZone).getTime() - start === DAY_MS;
  return times.map((time) =>
    isPlain ? start + toMinutes(time) * MINUTE_MS : (toInstant(`${day}T${time}`, timeZone)?.getTime() ?? start),
  );
}

function toMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

/** The instants that are slots of every plan, in order. */
export function listCommonSlotTimes(plans: SlotPlan[], after: Date, until: Date): Date[] {
  const [first = [], ...others] = plans.map((plan) => listSlotTimes(plan, after, until));
  const sets = others.map((times) => new Set(times.map((at) => at.getTime())));
  return first.filter((at) => sets.every((times) => times.has(at.getTime())));
}
