// Posts as the dashboard shows them: with the account of every delivery, filtered by what people look for.
import { and, asc, desc, eq, isNotNull, lt, or, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { ReadOnlyDb } from "../services/database.ts";
import { at } from "../shared/at.ts";
import type { Platform } from "../shared/platforms.ts";
import type { DeliveryStatus, PostStatus } from "../shared/post-status.ts";
import { selectRecentAttempts } from "./delivery-attempts.ts";
import { readRows, toRead } from "./read.ts";
import { instant, jsonList, type RowOf, rawQuery, recordSet } from "./sql.ts";

const DELIVERY = {
  id: postDeliveries.id,
  accountId: postDeliveries.accountId,
  platform: accounts.platform,
  username: accounts.username,
  displayName: accounts.displayName,
  accountStatus: accounts.status,
  accountType: accounts.type,
  status: sql<DeliveryStatus>`${postDeliveries.status}`,
  stage: postDeliveries.stage,
  errorCode: postDeliveries.errorCode,
  errorMessage: postDeliveries.errorMessage,
  warnings: postDeliveries.warnings,
  publishedUrl: postDeliveries.publishedUrl,
  publishedAt: postDeliveries.publishedAt,
  nextAttemptAt: postDeliveries.nextAttemptAt,
  attempts: postDeliveries.attempts,
};

const OF_POST = sql`
  from ${postDeliveries} join ${accounts} on ${accounts.id} = ${postDeliveries.accountId}
  where ${postDeliveries.postId} = ${posts.id} and ${accounts.scopeId} = ${posts.scopeId}`;

const COLUMNS = {
  id: posts.id,
  caption: posts.caption,
  media: posts.media,
  status: sql<PostStatus>`${posts.status}`,
  scheduledAt: posts.scheduledAt,
  schedule: posts.schedule,
  createdAt: posts.createdAt,
  updatedAt: posts.updatedAt,
  metadata: posts.metadata,
  externalId: posts.externalId,
  deliveries: jsonList(DELIVERY, { from: OF_POST, orderBy: sql`${postDeliveries.position}` }),
};

/** What a list does not show. */
const CONTENT = {
  tiktok: posts.tiktok,
  pinterest: posts.pinterest,
  settings: posts.settings,
  overrides: posts.overrides,
  firstComment: posts.firstComment,
  thread: posts.thread,
  link: posts.link,
  musicUrl: posts.musicUrl,
};

/** When a post goes out, or was made; indexed with its scope. */
const SHOWN_AT = sql`coalesce(${posts.scheduledAt}, ${posts.createdAt})`;

export type QueuedPost = RowOf<typeof COLUMNS>;
export type QueuedDelivery = QueuedPost["deliveries"][number];

export interface QueueFilter {
  status?: PostStatus | undefined;
  platform?: Platform | undefined;
  accountId?: string | undefined;
  /** `metadata.source`, such as `partner_api` or `dashboard`. */
  source?: string | undefined;
  /** Posts that go out, or were made, between two instants. */
  from?: Date | undefined;
  until?: Date | undefined;
  /** The newest first, or those that go out next. */
  order: "newest" | "next";
  /** The last post of the page before, with its instant in that order. */
  after?: { at: Date; id: string } | undefined;
  limit: number;
}

export function listQueuedPosts(db: ReadOnlyDb, scopeId: string, filter: QueueFilter) {
  const { status, platform, accountId, source, from, until, order, after, limit } = filter;
  const query = db
    .select(COLUMNS)
    .from(posts)
    .where(
      and(
        eq(posts.scopeId, scopeId),
        isNotNull(posts.status),
        matches({ status, platform, accountId }),
        source === undefined ? undefined : sql`${posts.metadata}->>'source' = ${source}`,
        from && sql`${SHOWN_AT} >= ${instant(from)}`,
        until && sql`${SHOWN_AT} < ${instant(until)}`,
        after && isAfter(after, order),
      ),
    )
    .orderBy(...(order === "next" ? [asc(SHOWN_AT), asc(posts.id)] : [desc(posts.createdAt), desc(posts.id)]))
    .limit(limit);
  return readRows(db, query);
}

function isAfter(last: { at: Date; id: string }, order: QueueFilter["order"]): SQL | undefined {
  if (order === "next") return sql`(${SHOWN_AT}, ${posts.id}) > (${instant(last.at)}, ${last.id}::uuid)`;
  return or(lt(posts.createdAt, last.at), and(eq(posts.createdAt, last.at), lt(posts.id, last.id)));
}

function matches({ status, platform, accountId }: CalendarFilter): SQL | undefined {
  return and(
    status && eq(posts.status, status),
    platform === undefined ? undefined : goesTo(sql`${accounts.platform} = ${platform}`),
    accountId === undefined ? undefined : goesTo(sql`${accounts.id} = ${accountId}::uuid`),
  );
}

function goesTo(condition: SQL): SQL {
  return sql`exists (select 1 ${OF_POST} and ${condition})`;
}

/** A post and what its deliveries went through, in one round trip. */
export function findQueuedPost(db: ReadOnlyDb, scopeId: string, id: string) {
  const isThisPost = and(eq(posts.scopeId, scopeId), eq(posts.id, id), isNotNull(posts.status));
  const query = db
    .select({ ...COLUMNS, ...CONTENT })
    .from(posts)
    .where(isThisPost);
  return toRead(db, [query, selectRecentAttempts(db, isThisPost)], ([[post], attempts]) =>
    post ? { post, attempts } : null,
  );
}

/** A post in the calendar, as short as a month of a thousand posts needs it. */
const CALENDAR_ENTRY = {
  id: posts.id,
  day: sql<string>`day`,
  /** The day has this many posts, of which only the first are listed. */
  total: sql<number>`total`,
  at: posts.createdAt,
  caption: posts.caption,
  status: sql<PostStatus>`status`,
  platforms: sql<Platform[]>`platforms`,
  /** The first picture of the media. */
  picture: sql<string | null>`picture`,
  video: sql<string | null>`video`,
};

export type CalendarEntry = RowOf<typeof CALENDAR_ENTRY>;

export interface CalendarFilter {
  status?: PostStatus | undefined;
  platform?: Platform | undefined;
  accountId?: string | undefined;
}

interface CalendarQuery extends CalendarFilter {
  /** In order: `2026-11-24` with the instants at which it begins and ends. */
  days: readonly { day: string; from: Date; until: Date }[];
  perDay: number;
}

/** The posts of the days, at most `perDay` of each, in one statement. */
export function listCalendarEntries(db: ReadOnlyDb, scopeId: string, query: CalendarQuery) {
  const rows = rawQuery(
    db,
    CALENDAR_ENTRY,
    () => sql`
      with dated_posts as (${selectDatedPosts(scopeId, query)}), ranked_posts as (${rankPerDay(query)})
      select id, day, total, at, caption, status, coalesce((
        select jsonb_agg(distinct ${accounts.platform})
        from ${postDeliveries} join ${accounts} on ${accounts.id} = ${postDeliveries.accountId}
        where ${postDeliveries.postId} = ranked_posts.id and ${accounts.scopeId} = ${scopeId}::uuid), '[]') as platforms,
        ${FIRST_PICTURE} as picture, media->>'url' as video
      from ranked_posts where place <= ${query.perDay} order by at, id`,
  );
  return readRows(db, rows);
}

/** A video has one if its cover is a file. */
const FIRST_PICTURE = sql`coalesce(media->'urls'->>coalesce((media->>'cover_index')::int, 0),
  jsonb_path_query_first(media, '$.items[*] ? (@.type == "image").url') #>> '{}', media->>'cover_url')`;

const selectDatedPosts = (scopeId: string, { days, ...filter }: CalendarQuery): SQL => sql`
  select ${posts.id}, ${posts.status}, left(${posts.caption}, 40) as caption, ${SHOWN_AT} as at,
    ${posts.media} as media from ${posts}
  where ${posts.scopeId} = ${scopeId}::uuid and ${posts.status} is not null
    and ${SHOWN_AT} >= ${instant(at(days, 0).from)} and ${SHOWN_AT} < ${instant(at(days, -1).until)}
    and ${matches(filter) ?? sql`true`}`;

/** The bounds are given, because the database may know other rules of a zone than the pages. */
const rankPerDay = ({ days }: CalendarQuery): SQL => sql`
  select dated_posts.*, days.day,
    row_number() over (partition by days.day order by at, id) as place,
    count(*) over (partition by days.day)::int as total
  from dated_posts join ${recordSet("days", { day: posts.caption, from: posts.createdAt, until: posts.createdAt }, days)}
    on at >= days."from" and at < days."until"`;
