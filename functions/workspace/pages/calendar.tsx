// The calendar: a day, a week or a month of posts. A scheduled one is moved by dragging, by a dialog, or on its own page.
import type { FC } from "hono/jsx";
import type * as z from "zod";
import { type ListedAccount, listAccounts } from "../../../lib/queries/accounts.ts";
import { type CalendarEntry, listCalendarEntries } from "../../../lib/queries/queue.ts";
import { readAll } from "../../../lib/queries/read.ts";
import { listSlotPlans } from "../../../lib/queries/slots.ts";
import type { Post as PostSchema } from "../../../lib/schemas/post.ts";
import { toClockTime } from "../../../lib/shared/schedule.ts";
import {
  addDays,
  describeClockChange,
  getStartOfDay,
  parseTimeZone,
  toEditedInstant,
  toInstant,
} from "../../../lib/shared/time-zone.ts";
import getPost from "../../posts/get.ts";
import updatePost from "../../posts/update.ts";
import { countSet, FilterFold } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import { type Page, type PageContext, takeLoaded } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { hasRole, setNotice } from "../session.ts";
import { MoveDialog } from "./calendar-entry.tsx";
import { CalendarGrid } from "./calendar-grid.tsx";
import { type Range, readRange, VIEWS, type View } from "./calendar-range.ts";
import { type FreeSlot, listFreeSlots } from "./free-slots.tsx";
import { Filter, FilterFields } from "./queue-filter.tsx";

/** A cell of a month has room for these; a day lists all that fit on a page. */
const PER_DAY: Record<View, number> = { month: 5, week: 40, day: 200 };

interface Loaded {
  entries: CalendarEntry[];
  accounts: ListedAccount[];
  freeSlots: FreeSlot[];
}

async function loadCalendar(c: PageContext, workspaceId: string): Promise<Loaded> {
  const { services, timeZone } = c.var;
  const { dates, view } = readRange(c);
  const { status, network, account } = Filter.parse(c.req.query());
  const days = dates.map((day) => ({
    day,
    from: getStartOfDay(day, timeZone),
    until: getStartOfDay(addDays(day, 1), timeZone),
  }));
  const query = {
    days,
    perDay: PER_DAY[view],
    status,
    platform: network,
    accountId: account,
  };
  const [from, until] = [days[0]?.from ?? c.var.now, days.at(-1)?.until ?? c.var.now];
  const [entries, accounts, plans] = await readAll(services.db, [
    listCalendarEntries(services.db, workspaceId, query),
    listAccounts(services.db, { id: workspaceId }, "all"),
    listSlotPlans(services.db, workspaceId, { from, until }),
  ]);
  const shown = plans.filter(
    ({ accountId, platform }) => (!account || accountId === account) && (!network || platform === network),
  );
  const after = new Date(Math.max(from.getTime() - 1, c.var.now.getTime()));
  return { entries, accounts, freeSlots: status ? [] : listFreeSlots(shown, { after, until, timeZone }) };
}

async function showCalendar(c: PageContext): Promise<Response> {
  const { workspace, timeZone } = c.var;
  const range = readRange(c);
  const { entries, accounts, freeSlots } = await takeLoaded(c, loadCalendar);
  const filter = Filter.parse(c.req.query());
  const canMove = hasRole(workspace.role, "editor");
  return c.html(
    <Layout
      c={c}
      title={range.title}
      active="calendar"
      scripts={["calendar"]}
      actions={<RangeLinks c={c} range={range} />}
    >
      <search>
        <form class="filters" method="get" aria-label="Filter the calendar">
          <input type="hidden" name="view" value={range.view} />
          <input type="hidden" name="date" value={range.date} />
          <FilterFold set={countSet(filter.status, filter.network, filter.account)}>
            <FilterFields filter={filter} accounts={accounts} />
            <button type="submit">Filter</button>
            {(filter.status || filter.network || filter.account) && (
              <a href={toQuery({ view: range.view, date: range.date })}>Clear</a>
            )}
          </FilterFold>
        </form>
      </search>
      {canMove && (
        <p class="hint">
          Drag a scheduled post, or use its button.{" "}
          <noscript>Without JavaScript, open the post and move it there.</noscript>
        </p>
      )}
      <p id="calendar-note" role="status" class="visually-hidden" />
      <div id="calendar" data-base={`/dashboard/${workspace.id}`} data-time-zone={timeZone}>
        <CalendarGrid c={c} range={range} entries={entries} freeSlots={canMove ? freeSlots : []} />
        {entries.length === 0 && <NothingPlanned c={c} range={range} filter={filter} />}
      </div>
      {canMove && <MoveDialog timeZone={timeZone} />}
    </Layout>,
  );
}

const NothingPlanned: FC<{ c: PageContext; range: Range; filter: Filter }> = ({ c, range, filter }) => {
  const isFiltered = Boolean(filter.status || filter.network || filter.account);
  // Today at nine may be over.
  const tomorrow = addDays(range.today, 1);
  const planned = range.view === "month" ? range.dates.filter((date) => date.startsWith(range.month)) : range.dates;
  const day = planned.find((date) => date >= tomorrow) ?? (range.dates.includes(range.today) ? tomorrow : null);
  return (
    <Empty title={isFiltered ? "No post matches" : "Nothing is planned here"}>
      {day && hasRole(c.var.workspace.role, "editor") ? (
        <p>
          <a class="button primary" href={`/dashboard/${c.var.workspace.id}/compose?at=${day}T09:00`}>
            Plan a post
          </a>
        </p>
      ) : (
        <p>Choose another time, or another filter.</p>
      )}
    </Empty>
  );
};

const toQuery = (query: Record<string, string>) => `?${new URLSearchParams(query)}`;

/** Each link keeps the filter. */
const RangeLinks: FC<{ c: PageContext; range: Range }> = ({ c, range }) => {
  const { month: _, ...kept } = c.req.query();
  const link = (change: { view?: View; date?: string }) =>
    toQuery({ ...kept, view: range.view, date: range.date, ...change });
  const name = VIEWS[range.view];
  return (
    <>
      <nav class="months" aria-label="View">
        {(Object.keys(VIEWS) as View[]).map((view) => (
          <a class="button" href={link({ view })} aria-current={view === range.view ? "page" : undefined}>
            {VIEWS[view]}
          </a>
        ))}
      </nav>
      <nav class="months" aria-label={name}>
        <a class="button" href={link({ date: range.before })}>
          <span aria-hidden="true">←</span>
          <span class="visually-hidden">{name} before</span>
        </a>
        <a class="button" href={link({ date: range.today })}>
          Today
        </a>
        <a class="button" href={link({ date: range.after })}>
          <span aria-hidden="true">→</span>
          <span class="visually-hidden">{name} after</span>
        </a>
      </nav>
    </>
  );
};

/** Moves a scheduled post, without a script. */
async function reschedule(c: PageContext): Promise<Response> {
  const postId = c.req.param("postId") ?? "";
  const form = await c.req.parseBody();
  const wallClock = String(form.at ?? "");
  const timeZone = parseTimeZone(String(form.zone ?? "")) ?? c.var.timeZone;
  const typed = toInstant(wallClock, timeZone);
  const path = `posts/${postId}`;
  if (!typed) {
    setNotice(c, { kind: "problem", text: "The post keeps its time. Enter a date and a time that exist." });
    return c.redirect(`/dashboard/${c.var.workspace.id}/${path}`, 303);
  }
  return redirectWithNotice(c, path, async () => {
    const { scheduled_at: stored } = await runOperation<z.output<typeof PostSchema>>(c, getPost, {
      params: { postId },
    });
    const instant = toEditedInstant(wallClock, stored ? new Date(stored) : null, timeZone) ?? typed;
    if (instant.toISOString() === stored) return "The post keeps its time.";
    await runOperation(c, updatePost, { params: { postId }, body: { scheduled_at: toClockTime(instant, timeZone) } });
    return `The post is moved. ${describeClockChange(wallClock, instant, timeZone) ?? ""}`.trim();
  });
}

export const calendarPages: Page[] = [
  { id: "calendar.show", method: "GET", path: "/calendar", role: "viewer", load: loadCalendar, handle: showCalendar },
  { id: "posts.reschedule", method: "POST", path: "/posts/:postId/reschedule", role: "editor", handle: reschedule },
];
