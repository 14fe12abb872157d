// The time of a post: what the field says, and buttons for times that people often choose.
import type { ClockTime, NEXT_SLOT } from "../../../../lib/shared/schedule.ts";
import { addDays, addMinutes, createClock, fetchTimeNote, getWeekday } from "../shared/clock.ts";

/** As the post gets it; undefined: at once. */
export type PostTime = ClockTime | typeof NEXT_SLOT | undefined;

export function createTime(form: HTMLFormElement, onChange: () => void) {
  const find = <Of extends HTMLElement>(id: string) => form.querySelector<Of>(`#${id}`) as Of;
  const [input, nextSlot, note] = [find<HTMLInputElement>("at"), find<HTMLInputElement>("next-slot"), find("at-note")];
  const { stored, timeZone = "UTC", now = "" } = input.dataset;
  const storedTime: ClockTime | null = stored ? JSON.parse(stored) : null;
  const readClock = createClock(now);
  /** The time that the note is about. */
  let noted = storedTime?.local ?? "";

  for (const button of form.querySelectorAll<HTMLButtonElement>("[data-time]")) {
    button.addEventListener("click", () => {
      // A field that had seconds accepts none that differ.
      input.step = "any";
      nextSlot.checked = false;
      input.value = suggestTime(button.dataset.time ?? "", readClock());
      onChange();
    });
  }

  function read(): PostTime {
    if (nextSlot.checked) return "next_slot";
    if (input.value === "") return undefined;
    // The stored time is the second of two, where it is.
    return input.value === storedTime?.local ? storedTime : { local: input.value, time_zone: timeZone };
  }

  async function showNote(): Promise<void> {
    const local = nextSlot.checked ? "" : input.value;
    if (local === noted) return;
    noted = local;
    const text = await fetchTimeNote(form.dataset.base ?? "", local);
    if (noted === local && note.textContent !== text) note.textContent = text;
  }

  return {
    timeZone,
    read,
    show(): void {
      input.disabled = nextSlot.checked;
      void showNote();
    },
  };
}

function suggestTime(name: string, now: string): string {
  const today = now.slice(0, 10);
  // The clock is read without its seconds.
  if (name === "hour") return addMinutes(now, 61);
  if (name === "tomorrow") return `${addDays(today, 1)}T09:00`;
  if (name === "monday") return `${addDays(today, 8 - getWeekday(today))}T09:00`;
  return "";
}
