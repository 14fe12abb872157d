// The days that a view of the calendar shows, as its address names them.

import { formatDate } from "../../../lib/shared/shown-instant.ts";
import { addDays, toDay } from "../../../lib/shared/time-zone.ts";
import type { PageContext } from "../page.ts";

export const VIEWS = { day: "Day", week: "Week", month: "Month" } as const;
export type View = keyof typeof VIEWS;

export interface Range {
  view: View;
  today: string;
  /** A day of the range: the one that is kept when the view changes. */
  date: string;
  /** `2026-11` for the month that is shown. */
  month: string;
  dates: string[];
  title: string;
  /** The days to go to. */
  before: string;
  after: string;
}

const DAY = /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** `?view=week&date=2026-11-24`; `?month=2026-11` is a month, too. */
export function readRange(c: PageContext): Range {
  const today = toDay(c.var.now, c.var.timeZone);
  const query = c.req.query("view") ?? "";
  const view = query in VIEWS ? (query as View) : "month";
  const date = readDate(c.req.query("date") ?? `${c.req.query("month") ?? ""}-01`) ?? today;
  const month = date.slice(0, 7);
  if (view === "day") {
    const title = toTitle(date, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
    return { view, today, date, month, dates: [date], title, before: addDays(date, -1), after: addDays(date, 1) };
  }
  if (view === "week") {
    const dates = listDays(getMonday(date), 7);
    const [first = date, last = date] = [dates[0], dates[6]];
    const title = `${toTitle(first, { day: "numeric", month: "short" })} – ${toTitle(last, { day: "numeric", month: "short", year: "numeric" })}`;
    return { view, today, date, month, dates, title, before: addDays(date, -7), after: addDays(date, 7) };
  }
  const title = toTitle(`${month}-01`, { month: "long", year: "numeric" });
  const [before, after] = [`${addMonths(month, -1)}-01`, `${addMonths(month, 1)}-01`];
  return { view, today, date, month, dates: listMonth(month), title, before, after };
}

export function toTitle(day: string, options: Intl.DateTimeFormatOptions): string {
  return formatDate(new Date(`${day}T00:00Z`), "UTC", options);
}

function readDate(text: string): string | null {
  if (!DAY.test(text)) return null;
  const at = new Date(`${text}T00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : null;
}

const getMonday = (date: string) => addDays(date, -((new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7));

const listDays = (first: string, count: number) => Array.from({ length: count }, (_, at) => addDays(first, at));

/** Whole weeks from Monday that contain the month. */
function listMonth(month: string): string[] {
  const start = getMonday(`${month}-01`);
  const end = addDays(getMonday(addDays(`${addMonths(month, 1)}-01`, -1)), 7);
  const days: string[] = [];
  for (let day = start; day < end; day = addDays(day, 1)) days.push(day);
  return days;
}

function addMonths(month: string, months: number): string {
  const [year = 0, at = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, at - 1 + months, 1)).toISOString().slice(0, 7);
}
