// The feed of events: the newest of it, in its order, and from there back to the oldest that is kept.
import type { FC } from "hono/jsx";
import * as z from "zod";
import { getKeptFrom } from "../../../lib/events/feed.ts";
import { toEvent } from "../../../lib/events/to-event.ts";
import { listNewestEvents, type StoredEvent } from "../../../lib/queries/events.ts";
import { formatInstant } from "../format.ts";
import { Choice } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { hasRole } from "../session.ts";
import { describeObject, EVENT_GROUPS, EVENT_WORDS, GROUP_WORDS, getTone, listTypes } from "./event-words.ts";

const PAGE_SIZE = 50;
/** More events than a screen shows. */
const MANY = 8;
const MAX_TITLE = 140;

/** A value that does not fit is left out, so that an old link still opens the page. */
const Filter = z.object({
  group: z.enum(EVENT_GROUPS).optional().catch(undefined),
  /** Of one record only. */
  object: z.guid().optional().catch(undefined),
  /** The number of the first event of the page after. */
  before: z.coerce.number().int().positive().optional().catch(undefined),
});
type Filter = z.output<typeof Filter>;

async function showEvents(c: PageContext): Promise<Response> {
  const { services, workspace, now } = c.var;
  const filter = Filter.parse(c.req.query());
  const { group, object, before } = filter;
  const { events, hasOlder } = await listNewestEvents(services.db, workspace.actor.scope, {
    before,
    types: group ? listTypes(group) : null,
    objectId: object,
    keptFrom: getKeptFrom(now),
    limit: PAGE_SIZE,
  });
  const isEmpty = events.length === 0 && !before;
  return c.html(
    <Layout c={c} title="Events" active="events">
      <p class="lead">
        What happened here in the last 30 days, in the order in which the API and webhooks tell of it: the newest event
        is the last one.
      </p>
      {isEmpty && !group && !object ? (
        <NothingYet c={c} />
      ) : (
        <>
          <FilterForm filter={filter} />
          {object && <OneObject filter={filter} events={events} />}
          <Pages events={events} hasOlder={hasOlder} filter={filter} />
          {events.length === 0 ? (
            <Empty title={before ? "No older events" : "No event matches"}>
              <p>
                Events are kept for 30 days. <a href="?">Show all events</a>
              </p>
            </Empty>
          ) : (
            <ol class="events">
              {events.map((event) => (
                <EventRecord c={c} event={event} filter={filter} />
              ))}
            </ol>
          )}
          <span id="last" tabindex={-1} />
        </>
      )}
    </Layout>,
  );
}

const FilterForm: FC<{ filter: Filter }> = ({ filter: { group, object } }) => (
  <search>
    <form class="filters" method="get" aria-label="Filter the events">
      <Choice name="group" label="About" value={group} options={EVENT_GROUPS.map((one) => [one, GROUP_WORDS[one]])} />
      {object && <input type="hidden" name="object" value={object} />}
      <button type="submit">Filter</button>
      {(group || object) && <a href="?">Clear</a>}
    </form>
  </search>
);

/** The address without the page: the filter stays when a person goes on. */
function toLink({ group, object }: Filter, query: Record<string, string> = {}): string {
  return `?${new URLSearchParams({ ...(group ? { group } : {}), ...(object ? { object } : {}), ...query })}`;
}

const OneObject: FC<{ filter: Filter; events: StoredEvent[] }> = ({ filter, events }) => {
  const [found] = events.filter(({ objectId }) => objectId === filter.object).map(describeObject);
  return (
    <p>
      Only events of {found ? <strong>{found.title.slice(0, MAX_TITLE)}</strong> : <code>{filter.object}</code>}.{" "}
      <a href={toLink({ group: filter.group })}>Show those of all</a>
    </p>
  );
};

const Pages: FC<{ events: StoredEvent[]; hasOlder: boolean; filter: Filter }> = ({ events, hasOlder, filter }) => {
  const [first] = events;
  return (
    <div class="row">
      {hasOlder && first && (
        <a class="button" href={toLink(filter, { before: String(first.sequence) })}>
          Older events
        </a>
      )}
      {filter.before && (
        <a class="button" href={toLink(filter)}>
          Newest events
        </a>
      )}
      {events.length > MANY && <a href="#last">To the end of this page</a>}
    </div>
  );
};

const EventRecord: FC<{ c: PageContext; event: StoredEvent; filter: Filter }> = ({ c, event, filter }) => {
  const { services, workspace, timeZone } = c.var;
  const { type, sequence, createdAt } = event;
  const { title, path, aboutId } = describeObject(event);
  const text = title.slice(0, MAX_TITLE);
  return (
    <li id={`event-${sequence}`}>
      <div class="line">
        <time datetime={createdAt.toISOString()}>{formatInstant(createdAt, timeZone, { second: "2-digit" })}</time>
        <span class={`badge ${getTone(type)}`}>{EVENT_WORDS[type]}</span>
        <span class="hint">
          <code>{type}</code> · {sequence}
        </span>
        {aboutId !== filter.object && <a href={toLink({ ...filter, object: aboutId })}>Only events of this</a>}
      </div>
      <p>{path ? <a href={`/dashboard/${workspace.id}/${path}`}>{text}</a> : text}</p>
      <details>
        <summary>JSON</summary>
        <pre tabindex={0}>{JSON.stringify(toEvent(services, workspace.actor.scope, event), null, 2)}</pre>
      </details>
    </li>
  );
};

/** Events come of their own, so the first step is what makes one. */
const NothingYet: FC<{ c: PageContext }> = ({ c }) => {
  const { role, id } = c.var.workspace;
  return (
    <Empty title="No events yet">
      <p>A post that is scheduled or published, an account that is connected and a file that is uploaded are events.</p>
      {hasRole(role, "admin") && (
        <p>
          <a class="button primary" href={`/dashboard/${id}/accounts`}>
            Connect an account
          </a>
        </p>
      )}
    </Empty>
  );
};

export const eventPages: Page[] = [
  { id: "events.show", method: "GET", path: "/events", role: "viewer", handle: showEvents },
];
