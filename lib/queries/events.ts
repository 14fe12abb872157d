// The feed of a scope: its events in the order in which they were committed.
import { and, asc, desc, eq, gt, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { approvalLinks } from "../../drizzle/schema/approvals.ts";
import { events } from "../../drizzle/schema/events.ts";
import { postDeliveries } from "../../drizzle/schema/posts.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import type { EventType } from "../shared/event-types.ts";
import type { Scope } from "../shared/scope.ts";
import { type Read, readFirst, toRead } from "./read.ts";
import { inScope } from "./scope.ts";
import { jsonList, type RowOf, rawQuery } from "./sql.ts";

const page = alias(events, "page");

const listColumns = ({ sequence, id, type, objectId, snapshot, createdAt }: typeof page | typeof events) => ({
  ...{ sequence, id, type, objectId, snapshot, createdAt },
});
const PAGE_COLUMNS = listColumns(page);
export type StoredEvent = RowOf<typeof PAGE_COLUMNS>;

export interface EventFilter {
  /** The last event that the caller has read; null for the oldest kept. */
  after: { id: string; sequence: number } | null;
  types: readonly EventType[] | null;
  /** Older ones are no longer in the feed. */
  keptFrom: Date;
  limit: number;
}

export interface EventPage {
  events: StoredEvent[];
  hasMore: boolean;
  /** False when the event `after` is not, or no longer, in the feed. */
  isAfterKept: boolean;
  oldestId: string | null;
  /** The last event of the scope when the page was read, of whatever type. */
  newestId: string | null;
}

/** One statement, so that the page and the newest event are of the same moment. */
export function listEvents(
  db: ReadOnlyDb,
  scope: Scope,
  { after, types, keptFrom, limit }: EventFilter,
): Read<EventPage> {
  const isKept = and(inScope(events, scope), gt(events.createdAt, keptFrom));
  const isAfter = gt(events.sequence, after?.sequence ?? 0);
  const isWanted = types ? inArray(events.type, [...types]) : undefined;
  const isLast = after ? and(eq(events.sequence, after.sequence), eq(events.id, after.id)) : undefined;
  const query = rawQuery(
    db,
    {
      found: jsonList(PAGE_COLUMNS, {
        from: sql`from (
          select ${events}.* from ${events} where ${and(isKept, isAfter, isWanted)}
          order by ${asc(events.sequence)} limit ${limit + 1}) ${page}`,
        orderBy: asc(page.sequence),
      }),
      isAfterKept: isLast
        ? sql<boolean>`exists (select 1 from ${events} where ${and(isKept, isLast)})`
        : sql<boolean>`true`,
      oldestId: sql<
        string | null
      >`(select ${events.id} from ${events} where ${isKept} order by ${asc(events.sequence)} limit 1)`,
      newestId: sql<
        string | null
      >`(select ${events.id} from ${events} where ${isKept} order by ${desc(events.sequence)} limit 1)`,
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
