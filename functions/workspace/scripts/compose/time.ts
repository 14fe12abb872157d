// The time of a post: what the field says, and buttons for times that people often choose.

import { MINUTE_MS } from "../../../../lib/shared/durations.ts";
import type { ClockTime, NEXT_SLOT } from "../../../../lib/shared/schedule.ts";
import { addDays, fetchTimeNote, getWeekday, toClockTime } from "../shared/clock.ts";
import { createFinder } from "../shared/element.ts";

/** As the post gets it; undefined: at once. */
export type PostTime = ClockTime | typeof NEXT_SLOT | undefined;

/** After a lost connection. */
const RETRY_MS = 3_000;

export function createTime(form: HTMLFormElement, onChange: () => void) {
  const find = createFinder(form, "#");
  const [input, nextSlot, note] = [find<HTMLInputElement>("at"), find<HTMLInputElement>("next-slot"), find("at-note")];
  /** Says which of two equal times is meant: `second`, or empty for the first. */
  const overlap = find<HTMLSelectElement>("at-overlap");
  const { stored, offsets = "[]", timeZone = "UTC", now = "" } = input.dataset;
  const storedTime: ClockTime | null = stored ? JSON.parse(stored) : null;
  const behind = Date.parse(now) - Date.now();
  const readClock = (minutes = 0) =>
    toClockTime(Date.now() + behind + minutes * MINUTE_MS, JSON.parse(offsets), timeZone);
  /** The time that the note is about. */
  let noted = JSON.stringify(readField());

  for (const button of form.querySelectorAll<HTMLButtonElement>("[data-time]")) {
    button.addEventListener("click", () => {
      // A field that had seconds accepts none that differ.
      input.step = "any";
      nextSlot.checked = false;
      const { local, on_overlap = "" } = suggestTime(button.dataset.time ?? "", readClock);
      [input.value, overlap.value] = [local, on_overlap];
      onChange();
    });
  }
  input.addEventListener("input", () => {
    overlap.value = (input.value === storedTime?.local && storedTime.on_overlap) || "";
  });

  function readField(): ClockTime {
    const isSecond = overlap.value === "second";
    return { local: input.value, time_zone: timeZone, ...(isSecond ? { on_overlap: "second" } : {}) };
  }

  function read(): PostTime {
    if (nextSlot.checked) return "next_slot";
    return input.value === "" ? undefined : readField();
  }

  async function showNote(): Promise<void> {
    const time = nextSlot.checked ? { local: "" } : readField();
    const key = JSON.stringify(time);
    if (key === noted) return;
    noted = key;
    const found = await fetchTimeNote(form.dataset.base ?? "", time);
    if (noted !== key) return;
    const text = found?.text ?? "";
    if (note.textContent !== text) note.textContent = text;
    if (found) {
      find("at-twice").hidden = !found.isTwice;
      return;
    }
    // A time that the clock shows twice must not go out as the first without a word.
    noted = "";
    setTimeout(() => void showNote(), RETRY_MS);
  }

  return {
    read,
    show(): void {
      input.disabled = nextSlot.checked;
      void showNote();
    },
  };
}

function suggestTime(name: string, readClock: (minutes?: number) => ClockTime): ClockTime {
  if (name === "now") return { local: "" };
  // The seconds are cut off, and it is never less than an hour.
  if (name === "hour") return readClock(61);
  const today = readClock().local.slice(0, 10);
  return { local: `${addDays(today, name === "tomorrow" ? 1 : 8 - getWeekday(today))}T09:00` };
}
