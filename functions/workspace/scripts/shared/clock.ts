// Times of the workspace's clock as text, `2026-11-24T09:30`. What they mean as instants the server says: its rules of time zones
// may be newer than those of the browser.
import type { ClockTime } from "../../../../lib/shared/schedule.ts";

const MINUTE_MS = 60_000;

const toMs = (wallClock: string) => Date.parse(`${wallClock}Z`);
const toText = (ms: number) => new Date(ms).toISOString().slice(0, 16);

export const addMinutes = (wallClock: string, minutes: number): string => toText(toMs(wallClock) + minutes * MINUTE_MS);

/** The day some days after `2026-11-24`. */
export const addDays = (day: string, days: number): string => addMinutes(`${day}T00:00`, days * 24 * 60).slice(0, 10);

/** 1 is Monday, 7 is Sunday. */
export const getWeekday = (day: string): number => new Date(toMs(`${day}T00:00`)).getUTCDay() || 7;

/** The clock now, as the page was shown with it. */
export function createClock(shown: string): () => string {
  const opened = Date.now();
  return () => toText(toMs(shown) + Date.now() - opened);
}

/** The sentence about a time that the clock of the workspace skips or shows twice; empty for any other. */
export async function fetchTimeNote(base: string, wallClock: string): Promise<string> {
  return wallClock ? ((await ask<{ note: string | null }>(base, { at: wallClock }))?.note ?? "") : "";
}

/** An instant as the clock of the workspace shows it. */
export async function fetchClockTime(base: string, instant: Date): Promise<ClockTime> {
  const answer = await ask<{ clock: ClockTime }>(base, { instant: instant.toISOString() });
  if (!answer) throw new Error("The connection was lost. Try again.");
  return answer.clock;
}

async function ask<Answer>(base: string, query: Record<string, string>): Promise<Answer | null> {
  const response = await fetch(`${base}/compose/time?${new URLSearchParams(query)}`).catch(() => null);
  return response?.ok ? response.json().catch(() => null) : null;
}
