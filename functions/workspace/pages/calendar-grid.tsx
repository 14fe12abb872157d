// The days of the calendar: a month of cells, or days with a row for each hour.
import type { FC } from "hono/jsx";
import type { CalendarEntry } from "../../../lib/queries/queue.ts";
import { toWallClock } from "../../../lib/shared/time-zone.ts";
import { WEEKDAYS } from "../format.ts";
import type { PageContext } from "../page.ts";
import { hasRole } from "../session.ts";
import { CalendarPost } from "./calendar-entry.tsx";
import { type Range, toTitle } from "./calendar-range.ts";
import { type FreeSlot, FreeSlots } from "./free-slots.tsx";

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

interface GridProps {
  c: PageContext;
  range: Range;
  entries: CalendarEntry[];
  freeSlots: FreeSlot[];
}

export const CalendarGrid: FC<GridProps> = (props) =>
  props.range.view === "month" ? <Month {...props} /> : <Hours {...props} />;

const Month: FC<GridProps> = ({ c, range, entries, freeSlots }) => {
  const byDay = Map.groupBy(entries, ({ day }) => day);
  const slotsByDay = Map.groupBy(freeSlots, ({ local }) => local.slice(0, 10));
  return (
    <ol class="calendar">
      {WEEKDAYS.map((name) => (
        <li class="weekday" aria-hidden="true">
          {name.slice(0, 3)}
        </li>
      ))}
      {range.dates.map((date) => (
        <MonthDay
          c={c}
          range={range}
          date={date}
          entries={byDay.get(date) ?? []}
          freeSlots={slotsByDay.get(date) ?? []}
        />
      ))}
    </ol>
  );
};

const MonthDay: FC<GridProps & { date: string }> = ({ c, range, date, entries, freeSlots }) => {
  const hidden = (entries[0]?.total ?? 0) - entries.length;
  const states = {
    day: true,
    other: !date.startsWith(range.month),
    today: date === range.today,
    free: entries.length === 0 && freeSlots.length === 0,
  };
  const label = toTitle(date, { weekday: "long", day: "numeric", month: "long" });
  return (
    <li class={listClasses(states)} data-date={date}>
      <DayHead c={c} range={range} date={date} label={label}>
        <span aria-hidden="true">{Number(date.slice(8))}</span>
      </DayHead>
      <Posts c={c} entries={entries} />
      <FreeSlots c={c} slots={freeSlots} />
      <More c={c} date={date} hidden={hidden} label={label} />
    </li>
  );
};

/** The days side by side, an hour in each row; on a phone below one another, without the hours that are free. */
const Hours: FC<GridProps> = ({ c, range, entries, freeSlots }) => {
  const slotsByHour = Map.groupBy(freeSlots, ({ local }) => local.slice(0, 13));
  const byHour = Map.groupBy(entries, ({ day, at }) => `${day}T${toWallClock(at, c.var.timeZone).slice(11, 13)}`);
  return (
    <ol class={`calendar hours ${range.view}`}>
      {range.dates.map((date) => {
        const own = entries.filter(({ day }) => day === date);
        const label = toTitle(date, { weekday: "long", day: "numeric", month: "long" });
        return (
          <li
            class={listClasses({
              column: true,
              today: date === range.today,
              free: own.length === 0 && !freeSlots.some(({ local }) => local.startsWith(date)),
            })}
          >
            <DayHead c={c} range={range} date={date} label={label}>
              <span aria-hidden="true">{toTitle(date, { weekday: "short", day: "numeric" })}</span>
            </DayHead>
            <More c={c} date={date} hidden={(own[0]?.total ?? 0) - own.length} label={label} />
            <ol>
              {HOURS.map((hour) => {
                const posts = byHour.get(`${date}T${hour}`) ?? [];
                const slots = slotsByHour.get(`${date}T${hour}`) ?? [];
                return (
                  <li
                    class={listClasses({ hour: true, free: posts.length + slots.length === 0 })}
                    data-date={date}
                    data-hour={hour}
                  >
                    <span class="at">{hour}:00</span>
                    <Posts c={c} entries={posts} />
                    <FreeSlots c={c} slots={slots} isWhole />
                  </li>
                );
              })}
            </ol>
          </li>
        );
      })}
    </ol>
  );
};

const listClasses = (states: Record<string, boolean>) =>
  Object.entries(states)
    .filter(([, isOn]) => isOn)
    .map(([name]) => name)
    .join(" ");

const Posts: FC<{ c: PageContext; entries: CalendarEntry[] }> = ({ c, entries }) =>
  entries.length === 0 ? null : (
    <ul>
      {entries.map((entry) => (
        <CalendarPost c={c} entry={entry} />
      ))}
    </ul>
  );

interface DayHeadProps {
  c: PageContext;
  range: Range;
  date: string;
  label: string;
  children: unknown;
}

/** The day opens on its own; days that are not over take a new post. */
const DayHead: FC<DayHeadProps> = ({ c, range, date, label, children }) => {
  const canWrite = hasRole(c.var.workspace.role, "editor") && date >= range.today;
  const query = new URLSearchParams({ ...c.req.query(), view: "day", date });
  query.delete("month");
  return (
    <div class="day-head">
      <a href={`?${query}`}>
        <time datetime={date}>
          {children}
          <span class="visually-hidden">{label}</span>
        </time>
      </a>
      {canWrite && (
        <a class="add" href={`/dashboard/${c.var.workspace.id}/compose?at=${date}T09:00`}>
          <span aria-hidden="true">+</span>
          <span class="visually-hidden">New post on {label}</span>
        </a>
      )}
    </div>
  );
};

const More: FC<{ c: PageContext; date: string; hidden: number; label: string }> = ({ c, date, hidden, label }) =>
  hidden > 0 ? (
    <a class="hint" href={`/dashboard/${c.var.workspace.id}/queue?day=${date}`}>
      {hidden} more<span class="visually-hidden"> on {label}</span>
    </a>
  ) : null;
