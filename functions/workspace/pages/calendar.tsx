// A month of posts. The first posts of each day are listed; a scheduled one is moved by dragging, or on its own page.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import { type CalendarEntry, listCalendarEntries } from "../../../lib/queries/queue.ts";
import type { Post as PostSchema } from "../../../lib/schemas/post.ts";
import {
  addDays,
  describeClockChange,
  getStartOfDay,
  parseTimeZone,
  toDay,
  toEditedInstant,
  toInstant,
  toWallClock,
} from "../../../lib/shared/time-zone.ts";
import getPost from "../../posts/get.ts";
import updatePost from "../../posts/update.ts";
import { getPlatformName } from "../format.ts";
import { Layout } from "../layout.tsx";
import { type Page, type PageContext, takeLoaded } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { hasRole, PageError } from "../session.ts";
import { STATUS_WORDS } from "./post-states.tsx";

const PER_DAY = 5;
const DAY_MS = 24 * 60 * 60 * 1000;
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

interface Day {
  /** `2026-11-24` */
  date: string;
  isOther: boolean;
  entries: CalendarEntry[];
}

function readMonth(c: PageContext): { today: string; month: string; dates: string[] } {
  const today = toDay(c.var.now, c.var.timeZone);
  const query = c.req.query("month") ?? "";
  const month = /^20\d\d-(0[1-9]|1[0-2])$/.test(query) ? query : today.slice(0, 7);
  return { today, month, dates: listDates(month) };
}

async function loadEntries(c: PageContext, workspaceId: string): Promise<CalendarEntry[]> {
  const { services, timeZone } = c.var;
  const days = readMonth(c).dates.map((day) => ({
    day,
    from: getStartOfDay(day, timeZone),
    until: getStartOfDay(addDays(day, 1), timeZone),
  }));
  return listCalendarEntries(services.db, workspaceId, { days, perDay: PER_DAY });
}

async function showCalendar(c: PageContext): Promise<Response> {
  const { workspace, timeZone } = c.var;
  const { today, month, dates } = readMonth(c);
  const entries = await takeLoaded(c, loadEntries);
  const byDay = Map.groupBy(entries, ({ day }) => day);
  const days = dates.map((date) => ({ date, isOther: !date.startsWith(month), entries: byDay.get(date) ?? [] }));
  const title = new Date(`${month}-01T00:00Z`).toLocaleDateString("en-GB", {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return c.html(
    <Layout
      c={c}
      title={title}
      active="calendar"
      scripts={["calendar"]}
      actions={
        <nav class="months" aria-label="Month">
          <a class="button" href={`?month=${addMonths(month, -1)}`}>
            <span aria-hidden="true">←</span>
            <span class="visually-hidden">Month before</span>
          </a>
          <a class="button" href="?">
            Today
          </a>
          <a class="button" href={`?month=${addMonths(month, 1)}`}>
            <span aria-hidden="true">→</span>
            <span class="visually-hidden">Month after</span>
          </a>
        </nav>
      }
    >
      <p class="hint">
        Times are in {timeZone}.{" "}
        {hasRole(workspace.role, "editor") && "Drag a scheduled post to another day to move it."}
      </p>
      <p id="calendar-note" role="status" class="problem" />
      <ol class="calendar" data-api={`/dashboard/${workspace.id}/api`} data-time-zone={timeZone}>
        {WEEKDAYS.map((name) => (
          <li class="weekday" aria-hidden="true">
            {name.slice(0, 3)}
          </li>
        ))}
        {days.map((day) => (
          <CalendarDay c={c} day={day} isToday={day.date === today} />
        ))}
      </ol>
    </Layout>,
  );
}

const CalendarDay: FC<{ c: PageContext; day: Day; isToday: boolean }> = ({ c, day, isToday }) => {
  const { date, isOther, entries } = day;
  const hidden = (entries[0]?.total ?? 0) - entries.length;
  const classes = ["day", isOther ? "other" : "", isToday ? "today" : "", entries.length === 0 ? "free" : ""];
  const label = new Date(`${date}T00:00Z`).toLocaleDateString("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  });
  return (
    <li class={classes.filter(Boolean).join(" ")} data-date={date}>
      <time datetime={date}>
        <span aria-hidden="true">{Number(date.slice(8))}</span>
        <span class="visually-hidden">{label}</span>
      </time>
      {entries.length > 0 && (
        <ul>
          {entries.map((entry) => (
            <CalendarPost c={c} entry={entry} />
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <a class="hint" href={`/dashboard/${c.var.workspace.id}/queue?day=${date}`}>
          {hidden} more<span class="visually-hidden"> on {label}</span>
        </a>
      )}
    </li>
  );
};

const CalendarPost: FC<{ c: PageContext; entry: CalendarEntry }> = ({ c, entry }) => {
  const { id, at, status, caption, platforms } = entry;
  const canMove = status === "scheduled" && hasRole(c.var.workspace.role, "editor");
  const wall = toWallClock(at, c.var.timeZone);
  return (
    <li>
      <a
        href={`/dashboard/${c.var.workspace.id}/posts/${id}`}
        class={`entry ${status}`}
        draggable={canMove ? "true" : undefined}
        data-at={canMove ? at.toISOString() : undefined}
      >
        <span class="at">{wall.slice(11, 16)}</span>
        <span class="visually-hidden">
          {STATUS_WORDS[status]}, {platforms.map(getPlatformName).join(", ")}:{" "}
        </span>
        {platforms.length === 1 && platforms[0] ? (
          <PlatformMark platform={platforms[0]} />
        ) : (
          <b aria-hidden="true">{platforms.length}×</b>
        )}
        <span class="title">{caption}</span>
      </a>
    </li>
  );
};

/** Whole weeks from Monday that contain the month. */
function listDates(month: string): string[] {
  const first = `${month}-01`;
  const start = addDays(first, -((new Date(`${first}T00:00Z`).getUTCDay() + 6) % 7));
  const last = addDays(`${addMonths(month, 1)}-01`, -1);
  const count = Math.round((Date.parse(last) - Date.parse(start)) / DAY_MS) + 1;
  return Array.from({ length: Math.ceil(count / 7) * 7 }, (_, at) => addDays(start, at));
}

function addMonths(month: string, months: number): string {
  const [year = 0, at = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, at - 1 + months, 1)).toISOString().slice(0, 7);
}

/** Moves a scheduled post, for people who do not drag. */
async function reschedule(c: PageContext): Promise<Response> {
  const postId = c.req.param("postId") ?? "";
  const form = await c.req.parseBody();
  const wallClock = String(form.at ?? "");
  const timeZone = parseTimeZone(String(form.zone ?? "")) ?? c.var.timeZone;
  const typed = toInstant(wallClock, timeZone);
  if (!typed) throw new PageError(400, "Enter a date and a time that exist.");
  return redirectWithNotice(c, `posts/${postId}`, async () => {
    const { scheduled_at: stored } = await runOperation<z.output<typeof PostSchema>>(c, getPost, {
      params: { postId },
    });
    const instant = toEditedInstant(wallClock, stored ? new Date(stored) : null, timeZone) ?? typed;
    if (instant.toISOString() === stored) return "The post keeps its time.";
    await runOperation(c, updatePost, { params: { postId }, body: { scheduled_at: instant.toISOString() } });
    return `The post is moved. ${describeClockChange(wallClock, instant, timeZone) ?? ""}`.trim();
  });
}

export const calendarPages: Page[] = [
  { id: "calendar.show", method: "GET", path: "/calendar", role: "viewer", load: loadEntries, handle: showCalendar },
  { id: "posts.reschedule", method: "POST", path: "/posts/:postId/reschedule", role: "editor", handle: reschedule },
];
