// The time of a post: what the field says, and buttons for times that people often choose.
import { type ClockTime, NEXT_SLOT, toClockTime } from "../../../../lib/shared/schedule.ts";
import { addDays, describeClockChange, toDay, toEditedInstant, toWallClock } from "../../../../lib/shared/time-zone.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface PostTime {
  /** Null: at once, or at a slot. */
  at: Date | null;
  /** As the post gets it; undefined: at once. */
  scheduledAt: ClockTime | typeof NEXT_SLOT | undefined;
  /** Tells of a time that the clock skips or shows twice. */
  note: string;
}

export function createTime(form: HTMLFormElement, onChange: () => void) {
  const input = form.querySelector<HTMLInputElement>("#at") as HTMLInputElement;
  const { stored, timeZone = "UTC" } = input.dataset;

  const nextSlot = form.querySelector<HTMLInputElement>("#next-slot") as HTMLInputElement;

  for (const button of form.querySelectorAll<HTMLButtonElement>("[data-time]")) {
    button.addEventListener("click", () => {
      // A field that had seconds accepts none that differ.
      input.step = "any";
      nextSlot.checked = false;
      input.value = suggestTime(button.dataset.time ?? "", timeZone);
      onChange();
    });
  }

  return {
    timeZone,
    read(): PostTime {
      const { value } = input;
      input.disabled = nextSlot.checked;
      if (nextSlot.checked) return { at: null, scheduledAt: NEXT_SLOT, note: "" };
      const at = toEditedInstant(value, stored ? new Date(stored) : null, timeZone);
      return {
        at,
        scheduledAt: at ? toClockTime(at, timeZone) : undefined,
        note: (at && describeClockChange(value, at, timeZone)) ?? "",
      };
    },
  };
}

function suggestTime(name: string, timeZone: string): string {
  const now = new Date();
  const today = toDay(now, timeZone);
  if (name === "hour")
    return toWallClock(new Date(Math.ceil((now.getTime() + HOUR_MS) / MINUTE_MS) * MINUTE_MS), timeZone);
  if (name === "tomorrow") return `${addDays(today, 1)}T09:00`;
  if (name === "monday") return `${addDays(today, 8 - (new Date(`${today}T00:00Z`).getUTCDay() || 7))}T09:00`;
  return "";
}
