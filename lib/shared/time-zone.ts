// Days and wall-clock times of a time zone.

/** Milliseconds that the zone is ahead of UTC at an instant. */
function getOffsetMs(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(at);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const wall = Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute"), read("second"));
  return wall - Math.floor(at.getTime() / 1000) * 1000;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The instant of `2026-11-24T09:30` in the zone; a time that a change of the clocks skips is moved by the change. */
export function toInstant(wallClock: string, timeZone: string): Date | null {
  const wall = new Date(`${wallClock}Z`);
  if (Number.isNaN(wall.getTime())) return null;
  const guess = new Date(wall.getTime() - getOffsetMs(wall, timeZone));
  return new Date(wall.getTime() - getOffsetMs(guess, timeZone));
}

/** `2026-11-24T09:30`, as a field of a form takes it. */
export function toWallClock(at: Date, timeZone: string): string {
  return new Date(at.getTime() + getOffsetMs(at, timeZone)).toISOString().slice(0, 16);
}

/** The date some days after `2026-11-24`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
