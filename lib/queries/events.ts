// The feed of a scope: its events in the order in which they were committed.
import { and, asc, desc, eq, gt, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { eventCounters, events } from "../../drizzle/schema/events.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { DAY_MS } from "../shared/durations.ts";
import { readEventTime } from "../shared/event-id.ts";
import type { EventType } from "../shared/event-types.ts";
import type { Scope } from "../shared/scope.ts";
import { type Read, readFirst, toRead } from "./read.ts";
import { inScope } from "./scope.ts";
import { instant, jsonList, type RowOf, rawQuery } from "./sql.ts";

const page = alias(events, "page");

const listColumns = ({ sequence, id, type, objectId, snapshot, createdAt }: typeof page | typeof events) => ({
  ...{ sequence, id, type, objectId, snapshot, createdAt },
});
const PAGE_COLUMNS = listColumns(page);
export type StoredEvent = RowOf<typeof PAGE_COLUMNS>;

/** The last event that a caller has read, or a place between events. */
export interface EventPosition {
  id: string;
  sequence: number;
}

/** The end of the id of a place after the last event, of whatever age: such an id names no event. */
const PLACE_SUFFIX = "00000000";
/** A feed whose last event is older continues from a place, so that who reads it regularly never has an expired position. */
const FRESH_MS = 15 * DAY_MS;

const selectLast = (scope: Scope): SQL =>
  sql`select ${eventCounters.last} from ${eventCounters} where ${inScope(eventCounters, scope)}`;

/** The id to continue from after all events of the scope; null before the first one. */
export function selectEnd(scope: Scope, now: Date): SQL<string | null> {
  const isFresh = gt(events.createdAt, new Date(now.getTime() - FRESH_MS));
  return sql`coalesce(
    (select ${events.id}::text from ${events} where ${and(inScope(events, scope), isFresh)} order by ${desc(events.sequence)} limit 1),
    (select left(event_id(${instant(now)}, last)::text, -${sql.raw(`${PLACE_SUFFIX.length}`)}) || ${PLACE_SUFFIX}
      from (${selectLast(scope)}) counter))`;
}

/** By which the clocks of this service and of the database may differ. */
const CLOCK_SKEW_MS = 60_000;

/** All events after the position are in the feed. A place of before a reset, whose numbers others have since, is none. */
export function isPositionKept(
  scope: Scope,
  { id, sequence }: EventPosition,
  { keptFrom, now }: Pick<EventFilter, "keptFrom" | "now">,
): SQL<boolean> {
  const at = readEventTime(id);
  const latest = new Date(at.getTime() + CLOCK_SKEW_MS);
  if (id.endsWith(PLACE_SUFFIX) && at > keptFrom && at.getTime() < now.getTime() + CLOCK_SKEW_MS)
    return sql<boolean>`(${sequence} <= coalesce((${selectLast(scope)}), 0) and coalesce(
      (select ${events.createdAt} from ${events} where ${and(inScope(events, scope), lte(events.sequence, sequence))}
        order by ${desc(events.sequence)} limit 1) < ${instant(latest)}, true))`;
  const isLast = and(eq(events.sequence, sequence), eq(events.id, id));
  return sql<boolean>`exists (select 1 from ${events} where ${and(inScope(events, scope), gt(events.createdAt, keptFrom), isLast)})`;
}

export interface EventFilter {
  /** Null for the oldest kept. */
  after: EventPosition | null;
  types: readonly EventType[] | null;
  /** Older ones are no longer in the feed. */
  keptFrom: Date;
  now: Date;
  limit: number;
}

export interface EventPage {
  events: StoredEvent[];
  hasMore: boolean;
  /** False when the event `after` is not, or no longer, in the feed. */
  isAfterKept: boolean;
  oldestId: string | null;
  /** The id to continue from after all events of the scope, of whatever type, when the page was read. */
  endId: string | null;
}

/** One statement, so that the page and the newest event are of the same moment. */
export function listEvents(
  db: ReadOnlyDb,
  scope: Scope,
  { after, types, keptFrom, now, limit }: EventFilter,
): Read<EventPage> {
  const isKept = and(inScope(events, scope), gt(events.createdAt, keptFrom));
  const isAfter = gt(events.sequence, after?.sequence ?? 0);
  const isWanted = types ? inArray(events.type, [...types]) : undefined;
  const query = rawQuery(
    db,
    {
      found: jsonList(PAGE_COLUMNS, {
        from: sql`from (
          select ${events}.* from ${events} where ${and(isKept, isAfter, isWanted)}
          order by ${asc(events.sequence)} limit ${limit + 1}) ${page}`,
        orderBy: asc(page.sequence),
      }),
      isAfterKept: after ? isPositionKept(scope, after, { keptFrom, now }) : sql<boolean>`true`,
      oldestId: sql<
        string | null
      >`(select ${events.id} from ${events} where ${isKept} order by ${asc(events.sequence)} limit 1)`,
      endId: selectEnd(scope, now),
    },
    (list) => sql`select ${list}`,
  );
  return toRead(db, [query], ([[row]]) => {
    if (!row) throw new Error("the database returned no row");
    const { found, ...edges } = row;
    return { ...edges, events: found.slice(0, limit), hasMore: found.length > limit };
  });
}

export interface NewestEventsFilter {
  /** Only events before this number: the first of the page after. */
  before?: number | undefined;
  types: readonly EventType[] | null;
  /** Only events of this record; those of a post are also those of its deliveries and approvals. */
  objectId?: string | undefined;
  /** Older ones are no longer in the feed. */
  keptFrom: Date;
  limit: number;
}

const isAbout = (objectId: string): SQL => sql`${events.objectId} = any(array(
  select ${objectId}::uuid
  union all select ${postDeliveries.id} from ${postDeliveries} where ${postDeliveries.postId} = ${objectId}
  union all select ${approvalLinks.id} from ${approvalLinks} where ${approvalLinks.postId} = ${objectId}))`;

/** The last events of the feed, in its order. */
export function listNewestEvents(
  db: ReadOnlyDb,
  scope: Scope,
  { before, types, objectId, keptFrom, limit }: NewestEventsFilter,
): Read<{ events: StoredEvent[]; hasOlder: boolean }> {
  const query = db
    .select(listColumns(events))
    .from(events)
    .where(
      and(
        inScope(events, scope),
        gt(events.createdAt, keptFrom),
        before === undefined ? undefined : lt(events.sequence, before),
        types ? inArray(events.type, [...types]) : undefined,
        objectId === undefined ? undefined : isAbout(objectId),
      ),
    )
    .orderBy(desc(events.sequence))
    .limit(limit + 1);
  return toRead(db, [query], ([found]) => ({
    events: found.slice(0, limit).reverse(),
    hasOlder: found.length > limit,
  }));
}

/** The last event until an instant; null if none of them is in the feed. */
export function findLastEventUntil(
  db: ReadOnlyDb,
  scope: Scope,
  { until, keptFrom }: { until: Date; keptFrom: Date },
): Read<{ id: string } | null> {
  const isWanted = and(inScope(events, scope), gt(events.createdAt, keptFrom), lte(events.createdAt, until));
  return readFirst(
    db,
    db.select({ id: events.id }).from(events).where(isWanted).orderBy(desc(events.sequence)).limit(1),
  );
}
