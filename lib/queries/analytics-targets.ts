// Tracked accounts of a scope. A deleted one is out of sight at once; its rows go later, in small helpings.
import { type SQL, sql } from "drizzle-orm";
import type { Network } from "../analytics/identifier.ts";
import { dayOf } from "../analytics/period.ts";
import { type Db, rowsOf } from "../db.ts";
import type { Target } from "../schemas/analytics.ts";
import type { Scope } from "../scope.ts";

/** A target `t` as answers show it; `today` is the UTC day whose free refresh may be spent. */
const columns = (today: string) => sql`
  t.id, t.owner_id as user_id, t.workspace_id, t.platform, t.identifier, t.normalized_identifier, t.display_name,
  jsonb_build_object('favorite', t.favorite, 'refreshPolicy', jsonb_build_object(
    'freeDailyRefresh', t.free_daily_refresh, 'maxPosts', t.max_posts)) as metadata,
  t.last_refreshed_at, t.created_at,
  t.free_daily_refresh and t.free_refreshed_on is distinct from ${today}::date as free_refresh_available`;

const visible = (scope: Scope) => sql`t.scope_id = ${scope.id} and t.deleted_at is null`;

/** The statement that reads one target. */
export function selectTarget(scope: Scope, id: string, today: string): SQL {
  return sql`select ${columns(today)} from analytics_targets t where ${visible(scope)} and t.id = ${id}`;
}

export interface NewTarget {
  id: string;
  platform: Network;
  identifier: string;
  normalizedIdentifier: string;
  displayName: string;
  maxPosts: number;
  createdAt: Date;
}

/** The new target, or the one that tracks this account already. Null when that one came into being at this moment. */
export async function insert(
  db: Db,
  scope: Scope,
  target: NewTarget,
  today: string,
): Promise<{ target: Target; created: boolean } | null> {
  const at = target.createdAt.toISOString();
  const result = await db.execute(sql`
    with made as (
      insert into analytics_targets (id, owner_id, workspace_id, platform, identifier, normalized_identifier,
        display_name, max_posts, created_at, updated_at)
      values (${target.id}, ${scope.ownerId}, ${scope.workspaceId}, ${target.platform}, ${target.identifier},
        ${target.normalizedIdentifier}, ${target.displayName}, ${target.maxPosts}, ${at}, ${at})
      on conflict do nothing returning *
    )
    select ${columns(today)}, t.id = ${target.id} as created from (
      select * from made union all
      select * from analytics_targets t where ${visible(scope)} and t.platform = ${target.platform}
        and t.normalized_identifier = ${target.normalizedIdentifier}
    ) t limit 1`);
  const [row] = rowsOf<Target & { created: boolean }>(result);
  if (!row) return null;
  const { created, ...stored } = row;
  return { target: stored, created };
}

/** Newest first, with how many there are, in one round trip. */
export async function list(
  db: Db,
  scope: Scope,
  { limit, offset }: { limit: number; offset: number },
  today: string,
): Promise<{ targets: Target[]; total: number }> {
  const [page, count] = await db.batch([
    db.execute(sql`select ${columns(today)} from analytics_targets t where ${visible(scope)}
      order by t.created_at desc, t.id desc limit ${limit} offset ${offset}`),
    db.execute(sql`select count(*)::int as n from analytics_targets t where ${visible(scope)}`),
  ]);
  return { targets: rowsOf<Target>(page), total: rowsOf<{ n: number }>(count)[0]?.n ?? 0 };
}

export interface TargetChange {
  displayName?: string | undefined;
  favorite?: boolean | undefined;
  freeDailyRefresh?: boolean | undefined;
  maxPosts?: number | undefined;
}

/** Changes what is given; null when the scope has no such target. */
export async function update(
  db: Db,
  scope: Scope,
  id: string,
  change: TargetChange,
  now: Date,
): Promise<Target | null> {
  const { displayName = null, favorite = null, freeDailyRefresh = null, maxPosts = null } = change;
  const result = await db.execute(sql`
    update analytics_targets t set updated_at = ${now.toISOString()},
      display_name = coalesce(${displayName}, t.display_name), favorite = coalesce(${favorite}::boolean, t.favorite),
      free_daily_refresh = coalesce(${freeDailyRefresh}::boolean, t.free_daily_refresh),
      max_posts = coalesce(${maxPosts}::int, t.max_posts)
    where ${visible(scope)} and t.id = ${id} returning ${columns(dayOf(now))}`);
  return rowsOf<Target>(result)[0] ?? null;
}

/** Takes a target out of sight and ends its refresh; false when the scope has no such target. */
export async function remove(db: Db, scope: Scope, id: string, now: Date): Promise<boolean> {
  const at = now.toISOString();
  const result = await db.execute(sql`
    with gone as (
      update analytics_targets t set deleted_at = ${at}, updated_at = ${at}
      where ${visible(scope)} and t.id = ${id} returning t.id
    ), stopped as (
      update analytics_refreshes r set status = 'failed', completed_at = ${at}, next_attempt_at = null,
        lease_token = null, lease_until = null, error_code = 'target_deleted', error = 'The target was deleted.'
      from gone where r.target_id = gone.id and r.status in ('pending', 'processing')
    )
    select id from gone`);
  return result.rows.length > 0;
}

/** Takes away rows of deleted targets: some posts with their snapshots, and targets that have none left. */
export async function purge(db: Db, posts: number): Promise<void> {
  await db.batch([
    db.execute(sql`
      delete from analytics_posts where id = any(array(
        select p.id from analytics_targets t cross join lateral (
          select p.id from analytics_posts p where p.target_id = t.id limit ${posts}) p
        where t.deleted_at is not null limit ${posts}))`),
    db.execute(sql`
      delete from analytics_targets t where t.deleted_at is not null
        and not exists (select 1 from analytics_posts p where p.target_id = t.id)`),
  ]);
}
