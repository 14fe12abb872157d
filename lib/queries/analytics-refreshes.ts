// The life of a refresh in SQL: asked for once a day, claimed under a lease, kept page by page, ended once.
import { sql } from "drizzle-orm";
import type { Network } from "../analytics/identifier.ts";
import { dayOf } from "../analytics/period.ts";
import type { SeenPost } from "../analytics/readers/reader.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Refresh } from "../schemas/analytics.ts";
import type { Scope } from "../scope.ts";
import type { Claimed as Delivery } from "./deliveries.ts";

const COLUMNS = sql`r.id, r.target_id, r.status, r.started_at, r.completed_at, r.error, r.was_free as "wasFree"`;

type RefreshRow = Refresh & { wasFree: boolean };

const uuids = (ids: string[]) => sql`${`{${ids.join(",")}}`}::uuid[]`;

export async function find(db: Db, scope: Scope, id: string): Promise<RefreshRow | null> {
  const result = await db.execute(sql`
    select ${COLUMNS} from analytics_refreshes r join analytics_targets t on t.id = r.target_id
    where r.id = ${id} and t.scope_id = ${scope.id} and t.deleted_at is null`);
  return rowsOf<RefreshRow>(result)[0] ?? null;
}

export interface Request {
  id: string;
  targetId: string;
  now: Date;
  deadlineAt: Date;
}

/** `asked` is the refresh made now, or by an earlier execution of the same request; `left` are today's free ones. */
export type Requested =
  | { asked: RefreshRow }
  | { refused: "unknown" | "not_free" | "spent" }
  | { refused: "running"; left: 0 | 1 };

interface RequestRow {
  asked: RefreshRow | null;
  running: boolean;
  free: boolean;
  spent: boolean;
  spentBefore: boolean;
}

/** The refresh and the charge for it are one statement: neither is there without the other. */
export async function request(db: Db, scope: Scope, { id, targetId, now, deadlineAt }: Request): Promise<Requested> {
  const at = now.toISOString();
  const today = sql`${dayOf(now)}::date`;
  const result = await db.execute(sql`
    with before as (
      select t.id, t.free_refreshed_on from analytics_targets t
      where t.id = ${targetId} and t.scope_id = ${scope.id} and t.deleted_at is null
    ), target as (
      select t.* from analytics_targets t where t.id = (select id from before) and t.deleted_at is null for update
    ), running as (
      select r.id from analytics_refreshes r join target t on t.id = r.target_id
      where r.status in ('pending', 'processing') and r.id <> ${id}
    ), earlier as (
      select r.* from analytics_refreshes r join target t on t.id = r.target_id where r.id = ${id}
    ), made as (
      insert into analytics_refreshes (id, target_id, status, was_free, next_attempt_at, deadline_at, created_at)
      select ${id}, t.id, 'pending', true, ${at}, ${deadlineAt.toISOString()}, ${at} from target t
      where t.free_daily_refresh and t.free_refreshed_on is distinct from ${today}
        and not exists (select 1 from running) and not exists (select 1 from earlier)
      on conflict do nothing returning *
    ), charged as (
      update analytics_targets t set free_refreshed_on = ${today} from made where t.id = made.target_id
    )
    select (select to_jsonb(a) from (
        select ${COLUMNS} from (select * from made union all select * from earlier) r) a) as asked,
      exists (select 1 from running) as running, t.free_daily_refresh as free,
      coalesce(t.free_refreshed_on = ${today}, false) as spent,
      coalesce((select b.free_refreshed_on from before b) = ${today}, false) as "spentBefore"
    from target t`);
  const [row] = rowsOf<RequestRow>(result);
  if (!row) return { refused: "unknown" };
  if (row.asked) return { asked: row.asked };
  if (row.running) return { refused: "running", left: row.free && !row.spent ? 1 : 0 };
  if (!row.free) return { refused: "not_free" };
  // Nobody ran and nothing was spent when this began: another request was faster by a moment, and runs now.
  return row.spent && row.spentBefore ? { refused: "spent" } : { refused: "running", left: 0 };
}

/** Refreshes that want to be looked at before `until` and that nobody holds, soonest first. */
export async function upcoming(db: Db, now: Date, until: Date, limit: number): Promise<{ id: string; dueAt: Date }[]> {
  const result = await db.execute(sql`
    select id, next_attempt_at from analytics_refreshes
    where next_attempt_at <= ${until.toISOString()} and (lease_until is null or lease_until < ${now.toISOString()})
    order by next_attempt_at limit ${limit}`);
  return rowsOf<{ id: string; next_attempt_at: string }>(result).map((row) => ({
    id: row.id,
    dueAt: new Date(row.next_attempt_at),
  }));
}

type Account = Delivery["account"] & {
  /** It is the target itself, not merely an account of the same network. */
  own: boolean;
};

/** Everything one attempt needs, read together with the claim. */
export interface Claimed {
  id: string;
  leaseToken: string;
  cursor: string | null;
  postsSeen: number;
  attempts: number;
  deadlineAt: Date;
  /** Why it waited. */
  error: string | null;
  target: { id: string; platform: Network; identifier: string; maxPosts: number };
  /** Connected accounts of the scope on this network: those that are the target first. */
  accounts: Account[];
}

export interface ClaimRequest {
  now: Date;
  leaseUntil: Date;
  leaseToken: string;
  ids: string[];
  limit: number;
}

/** The clock of the refresher may run a little behind the clock that wrote the row. */
const CLOCK_SKEW_MS = 1_000;
const ACCOUNTS_AT_MOST = 20;

type ClaimRow = Omit<Claimed, "deadlineAt" | "accounts"> & {
  deadlineAt: string;
  accounts: (Omit<Account, "tokenExpiresAt"> & { tokenExpiresAt: string | null })[];
};

export async function claim(db: Db, request: ClaimRequest): Promise<Claimed[]> {
  const now = sql`${request.now.toISOString()}::timestamptz`;
  const soon = sql`${new Date(request.now.getTime() + CLOCK_SKEW_MS).toISOString()}::timestamptz`;
  const result = await db.execute(sql`
    with due as (
      select r.id from analytics_refreshes r
      where r.id = any(${uuids(request.ids)}) and r.next_attempt_at <= ${soon}
        and (r.lease_until is null or r.lease_until < ${now})
      order by r.next_attempt_at limit ${request.limit} for update skip locked
    )
    update analytics_refreshes r set status = 'processing', lease_token = ${request.leaseToken},
      lease_until = ${request.leaseUntil.toISOString()}, started_at = coalesce(r.started_at, ${now})
    from due, analytics_targets t
    where r.id = due.id and t.id = r.target_id
    returning r.id, r.lease_token as "leaseToken", r.cursor, r.posts_seen as "postsSeen", r.attempts, r.error,
      r.deadline_at as "deadlineAt",
      jsonb_build_object('id', t.id, 'platform', t.platform, 'identifier', t.identifier, 'maxPosts', t.max_posts) as target,
      coalesce((
        select jsonb_agg(to_jsonb(a) order by a.own desc, a.status = 'active' desc, a.id) from (
          select a.id, a.platform, a.type, a.status, a.username, a.external_id as "externalId",
            a.access_token as "accessToken", a.refresh_token as "refreshToken", a.token_expires_at as "tokenExpiresAt",
            a.token_version as "tokenVersion",
            t.normalized_identifier in (lower(ltrim(a.username, '@')), lower(a.external_id)) as own
          from accounts a where a.scope_id = t.scope_id and a.platform = t.platform
          order by own desc, a.status = 'active' desc limit ${ACCOUNTS_AT_MOST}) a
      ), '[]') as accounts`);
  return rowsOf<ClaimRow>(result).map((row) => ({
    ...row,
    deadlineAt: new Date(row.deadlineAt),
    accounts: row.accounts.map((account) => ({
      ...account,
      tokenExpiresAt: account.tokenExpiresAt ? new Date(account.tokenExpiresAt) : null,
    })),
  }));
}

export interface PageOfPosts {
  /** No post twice. */
  posts: SeenPost[];
  /** How many posts the refresh has seen with this page. */
  seen: number;
  /** Where the next page begins; null ends the refresh as completed. */
  cursor: string | null;
}

/**
 * Writes a page under the lease, in one statement: posts as they are now, today's snapshots where something changed, and
 * what each day gained by it. To write it twice changes nothing. False when the lease was lost.
 */
export async function keepPage(
  db: Db,
  claimed: Pick<Claimed, "id" | "leaseToken">,
  page: PageOfPosts,
  now: Date,
  leaseUntil: Date,
): Promise<boolean> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const today = sql`${dayOf(now)}::date`;
  const done = page.cursor === null;
  const after = done
    ? sql`status = 'completed', completed_at = ${at}, next_attempt_at = null, lease_token = null, lease_until = null`
    : sql`lease_until = ${leaseUntil.toISOString()}`;
  const result = await db.execute(sql`
    with held as (
      update analytics_refreshes set cursor = ${page.cursor}, posts_seen = ${page.seen}, attempts = 0,
        error_code = null, error = null, ${after}
      where id = ${claimed.id} and lease_token = ${claimed.leaseToken} returning target_id
    ), refreshed as (
      update analytics_targets t set last_refreshed_at = ${at} from held where t.id = held.target_id and ${done}
    ), page as (
      select h.target_id, p.* from held h, jsonb_to_recordset(${JSON.stringify(page.posts)}::jsonb) as p(
        "platformPostId" text, kind text, "publishedAt" timestamptz, caption text, permalink text,
        "thumbnailUrl" text, "durationSeconds" int, views bigint, likes bigint, comments bigint, shares bigint,
        saves bigint)
    ), known as (
      select k.* from page p join analytics_posts k
        on k.target_id = p.target_id and k.platform_post_id = p."platformPostId"
    ), kept as (
      insert into analytics_posts as k (target_id, platform_post_id, kind, published_at, caption, permalink,
        thumbnail_url, duration_seconds, views, likes, comments, shares, saves, created_at, updated_at)
      select target_id, "platformPostId", kind, "publishedAt", caption, permalink, "thumbnailUrl", "durationSeconds",
        views, likes, comments, shares, saves, ${at}, ${at} from page order by "platformPostId"
      on conflict (target_id, platform_post_id) do update set kind = excluded.kind,
        published_at = excluded.published_at, caption = excluded.caption, permalink = excluded.permalink,
        thumbnail_url = excluded.thumbnail_url, duration_seconds = excluded.duration_seconds, views = excluded.views,
        likes = excluded.likes, comments = excluded.comments, shares = excluded.shares, saves = excluded.saves,
        updated_at = excluded.updated_at
      where (k.kind, k.published_at, k.caption, k.permalink, k.thumbnail_url, k.duration_seconds, k.views, k.likes,
          k.comments, k.shares, k.saves)
        is distinct from (excluded.kind, excluded.published_at, excluded.caption, excluded.permalink,
          excluded.thumbnail_url, excluded.duration_seconds, excluded.views, excluded.likes, excluded.comments,
          excluded.shares, excluded.saves)
      returning id, platform_post_id
    ), changes as (
      select p.*, k.id as known_id,
        case when k.id is null then least((p."publishedAt" at time zone 'UTC')::date, ${today}) else ${today} end as day,
        p.views - coalesce(k.views, 0) as more_views, p.likes - coalesce(k.likes, 0) as more_likes,
        p.comments - coalesce(k.comments, 0) as more_comments, p.shares - coalesce(k.shares, 0) as more_shares,
        p.saves - coalesce(k.saves, 0) as more_saves
      from page p left join known k on k.platform_post_id = p."platformPostId"
      where k.id is null or (k.views, k.likes, k.comments, k.shares, k.saves)
        is distinct from (p.views, p.likes, p.comments, p.shares, p.saves)
    ), snapshots as (
      insert into analytics_snapshots (post_id, day, views, likes, comments, shares, saves)
      select k.id, ${today}, c.views, c.likes, c.comments, c.shares, c.saves
      from changes c join kept k on k.platform_post_id = c."platformPostId"
      on conflict (post_id, day) do update set views = excluded.views, likes = excluded.likes,
        comments = excluded.comments, shares = excluded.shares, saves = excluded.saves
    ), days as (
      insert into analytics_target_days as d (target_id, day, views, likes, comments, shares, saves)
      select target_id, day, sum(more_views), sum(more_likes), sum(more_comments), sum(more_shares), sum(more_saves)
      from changes group by target_id, day
      on conflict (target_id, day) do update set views = d.views + excluded.views, likes = d.likes + excluded.likes,
        comments = d.comments + excluded.comments, shares = d.shares + excluded.shares, saves = d.saves + excluded.saves
    )
    select target_id from held`);
  return result.rows.length > 0;
}

/** How an attempt ended that brought no last page. */
export interface Ending {
  status: "pending" | "processing" | "failed";
  attempts: number;
  nextAttemptAt: Date | null;
  errorCode: string | null;
  error: string | null;
}

/** Ends the lease, and gives a failed refresh back to its day; false when the lease was lost before. */
export async function settle(
  db: Db,
  claimed: Pick<Claimed, "id" | "leaseToken">,
  ending: Ending,
  now: Date,
): Promise<boolean> {
  const failed = ending.status === "failed";
  const result = await db.execute(sql`
    with ended as (
      update analytics_refreshes set status = ${ending.status}, attempts = ${ending.attempts},
        next_attempt_at = ${ending.nextAttemptAt?.toISOString() ?? null}, error_code = ${ending.errorCode},
        error = ${ending.error}, completed_at = ${failed ? now.toISOString() : null},
        lease_token = null, lease_until = null
      where id = ${claimed.id} and lease_token = ${claimed.leaseToken} returning id, target_id, created_at
    ), given_back as (
      update analytics_targets t set free_refreshed_on = null from ended e
      where ${failed} and t.id = e.target_id and t.free_refreshed_on = (e.created_at at time zone 'UTC')::date
    )
    select id from ended`);
  return result.rows.length > 0;
}
