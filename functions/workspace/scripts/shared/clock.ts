// Times of the workspace's clock as text, `2026-11-24T09:30`. What they mean as instants the server says: its rules of time zones
// may be newer than those of the browser.
import { DAY_MS } from "../../../../lib/shared/durations.ts";
import type { ClockTime } from "../../../../lib/shared/schedule.ts";
import type { ZoneOffset } from "../../../../lib/shared/time-zone.ts";
import { CONNECTION_LOST, describePage } from "./failures.ts";

/** The day some days after `2026-11-24`. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** 1 is Monday, 7 is Sunday. */
export const getWeekday = (day: string): number => new Date(day).getUTCDay() || 7;

/** An instant as a clock with these offsets shows it. */
export function toClockTime(ms: number, offsets: readonly ZoneOffset[], timeZone: string): ClockTime {
  const index = offsets.findLastIndex(({ from }) => from <= ms);
  const [before, current] = [offsets[index - 1], offsets[index]];
  const local = ms + (current?.offset ?? 0);
  const isSecond = before && current && local < current.from + before.offset;
  return {
    local: new Date(local).toISOString().slice(0, 16),
    time_zone: timeZone,
    ...(isSecond ? { on_overlap: "second" } : {}),
  };
}

export interface TimeNote {
  /** About a time that the clock of the workspace skips or shows twice, or why nothing is known; empty for any other time. */
  text: string;
  isTwice: boolean;
}

/** Null without a connection. */
export async function fetchTimeNote(base: string, { local, on_overlap }: ClockTime): Promise<TimeNote | null> {
  if (!local) return { text: "", isTwice: false };
  const query = { at: local, ...(on_overlap ? { on_overlap } : {}) };
  try {
    const { note, is_twice } = await ask<{ note: string | null; is_twice: boolean }>(base, query);
    return { text: note ?? "", isTwice: is_twice };
  } catch (error) {
    const { message } = error as Error;
    return message === CONNECTION_LOST ? null : { text: message, isTwice: false };
  }
}

/** An instant as the clock of the workspace shows it. */
export async function fetchClockTime(base: string, instant: Date): Promise<ClockTime> {
  return (await ask<{ clock: ClockTime }>(base, { instant: instant.toISOString() })).clock;
}

async function ask<Answer>(base: string, query: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${base}/compose/time?${new URLSearchParams(query)}`).catch(() => null);
  if (!response) throw new Error(CONNECTION_LOST);
  if (!response.headers.get("content-type")?.includes("json")) throw new Error(describePage(response));
  return (await response.json()) as Answer;
}
