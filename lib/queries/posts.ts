// Posts of a scope, each read with the states of its deliveries in one statement.
// Triggers (drizzle/migrations/0001_triggers.sql) keep `posts.status`, `posts.version` and `post_counts` after the insert.
import { and, desc, eq, gte, isNotNull, lte, or, type Placeholder, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { CONTENT_FIELDS, postCounts, postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import type { RowPosition } from "../schemas/pagination.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { DAY_MS } from "../shared/durations.ts";
import type { DeliveryPart } from "../shared/post-content.ts";
import type { DeliveryStatus, PostStatus } from "../shared/post-status.ts";
import type { Scope } from "../shared/scope.ts";
import { toPage, toRowPosition } from "./paging.ts";
import { type Read, readFirst, toRead } from "./read.ts";
import { inScope, toScopeValues } from "./scope.ts";
import { jsonList, jsonObject, preparedQuery, type RowOf, typedAs } from "./sql.ts";
import { isOverdue, waitingDelivery } from "./waiting-deliveries.ts";

/** The columns of the content fields. */
export const CONTENT_COLUMNS = pickContent<typeof posts>(posts);

/** The content fields of a row, or of a table. */
export function pickContent<Of extends Record<(typeof CONTENT_FIELDS)[number], unknown>>(
  row: Of,
): Pick<Of, (typeof CONTENT_FIELDS)[number]> {
  const fields = CONTENT_FIELDS.map((field) => [field, row[field]]);
  return Object.fromEntries(fields) as Pick<Of, (typeof CONTENT_FIELDS)[number]>;
}

/** The state of deliveries before their first attempt. */
export interface FirstAttempt {
  status: "draft" | "pending" | "scheduled";
  /** Null for a draft, as are the other times. */
  dueAt: Date | null;
  /** Earlier than it is due if it is prepared. */
  nextAttemptAt: Date | null;
  deadlineAt: Date | null;
}

export interface PostTarget {
  /** The id of the delivery if the account is new to the post. */
  id: string;
  accountId: string;
  /** The calls after the one that publishes the post. */
  parts: DeliveryPart[] | null;
}

export const POST_COLUMNS = {
  id: posts.id,
  ...CONTENT_COLUMNS,
  status: sql<PostStatus>`${posts.status}`,
  scheduledAt: posts.scheduledAt,
  schedule: posts.schedule,
  createdAt: posts.createdAt,
  updatedAt: posts.updatedAt,
  externalId: posts.externalId,
  metadata: posts.metadata,
};

const DELIVERY_COLUMNS = {
  accountId: postDeliveries.accountId,
  status: sql<DeliveryStatus>`${postDeliveries.status}`,
  publishedAt: postDeliveries.publishedAt,
  publishedUrl: postDeliveries.publishedUrl,
  errorCode: postDeliveries.errorCode,
  errorMessage: postDeliveries.errorMessage,
  warnings: postDeliveries.warnings,
  part: postDeliveries.part,
  parts: postDeliveries.parts,
  lastAttemptedAt: postDeliveries.lastAttemptedAt,
  attempts: postDeliveries.attempts,
  /** A preparation publishes nothing, so it is no attempt to callers. */
  nextAttemptAt: typedAs(
    sql`case when ${postDeliveries.status} = 'scheduled' then greatest(${postDeliveries.nextAttemptAt}, ${postDeliveries.dueAt})
      else ${postDeliveries.nextAttemptAt} end`,
    postDeliveries.nextAttemptAt,
  ),
  dueAt: postDeliveries.dueAt,
  stage: postDeliveries.stage,
  risk: postDeliveries.risk,
  isOverdue,
  waitingFor: waitingDelivery,
  /** These columns decide if the account can publish when the post is due. */
  account: jsonObject({
    platform: accounts.platform,
    type: accounts.type,
    username: accounts.username,
    status: accounts.status,
    statusReason: accounts.statusReason,
    tokenVersion: accounts.tokenVersion,
    tokenExpiresAt: accounts.tokenExpiresAt,
    refreshTokenExpiresAt: accounts.refreshTokenExpiresAt,
    hasRefreshToken: sql<boolean>`${accounts.refreshToken} is not null`,
  }),
};

export const listDeliveries = (from: SQL) =>
  jsonList(DELIVERY_COLUMNS, { from, orderBy: sql`${postDeliveries.position}` });

/** Excludes deliveries to accounts that left the scope. */
const COLUMNS = {
  ...POST_COLUMNS,
  deliveries: listDeliveries(sql`
    from ${postDeliveries} join ${accounts} on ${accounts.id} = ${postDeliveries.accountId}
    where ${postDeliveries.postId} = ${posts.id} and ${accounts.scopeId} = ${posts.scopeId}`),
};

/** A post with the states of its deliveries, in the order in which the caller named the accounts. */
export type StoredPost = RowOf<typeof COLUMNS>;

/**
 * A trigger computes the status from the deliveries to accounts of the post's scope: null when none is left. It runs at the
 * end of a statement, so one that changes deliveries still returns the old status.
 */
const isVisible = isNotNull(posts.status);

/** The query for one post of a scope; await it, or pass it to `db.batch`. */
export function selectPost(db: ReadOnlyDb, scope: Scope, id: string) {
  return db
    .select(COLUMNS)
    .from(posts)
    .where(and(inScope(posts, scope), eq(posts.id, id), isVisible));
}

export function findPost(db: ReadOnlyDb, scope: Scope, id: string): Read<StoredPost | null> {
  return readFirst(db, selectPost(db, scope, id));
}

/** The status after a statement that changed deliveries, whose triggers ran at its end. */
export async function findPostStatus(db: ReadOnlyDb, id: string): Promise<PostStatus> {
  const [row] = await db.select({ status: posts.status }).from(posts).where(eq(posts.id, id));
  return row?.status ?? "void";
}

/**
 * The existing post of a retried create: with the same id after a crash, or with the same external id. `post` is null if
 * the post exists, and not all of its accounts, or none, are in scope.
 */
export async function findDuplicatePost(
  db: Db,
  scope: Scope,
  { id, externalId }: { id: string; externalId: string | null },
): Promise<{ post: StoredPost | null; payloadHash: string } | null> {
  const same = externalId === null ? eq(posts.id, id) : or(eq(posts.id, id), eq(posts.externalId, externalId));
  const [row] = await db
    .select({
      ...{ ...COLUMNS, payloadHash: posts.payloadHash },
      visible: sql<boolean>`(${isVisible} and ${inScope(posts, scope)})`,
    })
    .from(posts)
    .where(and(inScope(posts, { id: scope.id }), same));
  if (!row) return null;
  const { payloadHash, visible, ...post } = row;
  return { post: visible ? post : null, payloadHash };
}

export interface PostFilter {
  status?: PostStatus | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  limit: number;
  cursor?: RowPosition | undefined;
}

interface PageValues extends ReturnType<typeof toScopeValues> {
  status: PostStatus | undefined;
  since: string | undefined;
  until: string | undefined;
  afterAt: string | undefined;
  afterId: string | undefined;
  limit: number;
}

const selectPage = preparedQuery<PageValues, typeof COLUMNS>(
  COLUMNS,
  (list, { scope, accountIds, status, since, until, afterAt, afterId, limit }) => sql`
    select ${list} from ${posts}
    where ${and(
      inScope(posts, { id: scope, accountIds }),
      status ? eq(posts.status, status) : isVisible,
      since && gte(posts.createdAt, since),
      until && lte(posts.createdAt, until),
      afterAt && sql`(${posts.createdAt}, ${posts.id}) < (${afterAt}::timestamptz, ${afterId}::uuid)`,
    )}
    order by ${desc(posts.createdAt)}, ${desc(posts.id)} limit ${limit}`,
);

/** A page of the newest posts, the cursor of the next page, and the number of posts per status within the bounds, in one round trip. */
export function listPosts(db: ReadOnlyDb, scope: Scope, { status, since, until, limit, cursor }: PostFilter) {
  return toRead(
    db,
    [
      selectPage(db, {
        ...toScopeValues(scope),
        status,
        since: since?.toISOString(),
        until: until?.toISOString(),
        afterAt: cursor?.at.toISOString(),
        afterId: cursor?.id,
        limit: limit + 1,
      }),
      countByStatus(db, scope, since, until),
    ],
    ([page, counts]) => {
      const { rows, nextCursor } = toPage(page, limit, toRowPosition);
      return { posts: rows, nextCursor, counts: new Map(counts.map(({ status, count }) => [status, count])) };
    },
  );
}

interface CountValues extends ReturnType<typeof toScopeValues> {
  /** Of a limited key, whose posts are counted row by row. */
  since: string | undefined;
  until: string | undefined;
  /** Whole days are counted between these two, which are not included. */
  afterDay: string | undefined;
  beforeDay: string | undefined;
  /** The partial days at the two bounds. */
  firstFrom: string | undefined;
  firstTo: string | undefined;
  lastFrom: string | undefined;
  lastTo: string | undefined;
}

const COUNT_COLUMNS = { status: sql<PostStatus>`status`, count: sql<number>`sum(count)::int` };

const selectCounts = preparedQuery<CountValues, typeof COUNT_COLUMNS>(COUNT_COLUMNS, (list, values) => {
  const { scope, accountIds, since, until, afterDay, beforeDay, firstFrom, firstTo, lastFrom, lastTo } = values;
  const selectRows = (from: Placeholder | undefined, to: Placeholder | undefined) => sql`
    select ${posts.status}, 1 as count from ${posts} where ${and(
      inScope(posts, { id: scope, accountIds }),
      isVisible,
      from && gte(posts.createdAt, from),
      to && lte(posts.createdAt, to),
    )}`;
  if (accountIds) return sql`select ${list} from (${selectRows(since, until)}) counted group by status`;
  const countRows = (from: Placeholder, to: Placeholder) => sql`union all ${selectRows(from, to)}`;
  return sql`
    select ${list} from (
      select ${postCounts.status}, ${postCounts.count} from ${postCounts}
      where ${postCounts.scopeId} = ${scope}
        ${afterDay ? sql`and ${postCounts.day} > ${afterDay}::date` : sql``}
        ${beforeDay ? sql`and ${postCounts.day} < ${beforeDay}::date` : sql``}
      ${firstFrom && firstTo ? countRows(firstFrom, firstTo) : sql``}
      ${lastFrom && lastTo ? countRows(lastFrom, lastTo) : sql``}
    ) counted group by status having sum(count) > 0`;
});

const NO_DAYS = Object.fromEntries(
  (["afterDay", "beforeDay", "firstFrom", "firstTo", "lastFrom", "lastTo"] as const).map((name) => [name, undefined]),
) as Record<"afterDay" | "beforeDay" | "firstFrom" | "firstTo" | "lastFrom" | "lastTo", undefined>;

/** Whole days are read from post_counts; only the partial days at the two bounds are counted row by row. */
function countByStatus(db: ReadOnlyDb, scope: Scope, since: Date | undefined, until: Date | undefined) {
  const toDay = (instant: Date) => Math.floor(instant.getTime() / DAY_MS);
  const toInstant = (ms: number) => new Date(ms).toISOString();
  // Bounds on the same day: its rows are counted once. `since` after `until`: nothing matches.
  const isOneRange = since && until && toDay(since) >= toDay(until);
  if (scope.accountIds) {
    const bounds = { since: since?.toISOString(), until: until?.toISOString() };
    return selectCounts(db, { ...toScopeValues(scope), ...bounds, ...NO_DAYS });
  }
  return selectCounts(db, {
    ...toScopeValues(scope),
    ...{ since: undefined, until: undefined },
    afterDay: since?.toISOString().slice(0, 10),
    beforeDay: until?.toISOString().slice(0, 10),
    firstFrom: since?.toISOString(),
    firstTo: isOneRange ? until.toISOString() : since && toInstant((toDay(since) + 1) * DAY_MS - 1),
    lastFrom: isOneRange ? undefined : until && toInstant(toDay(until) * DAY_MS),
    lastTo: isOneRange ? undefined : until?.toISOString(),
  });
}
