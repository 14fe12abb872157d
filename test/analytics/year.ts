// A generated year of tracked accounts with daily observations, for the tests of sums and for benchmarks.

import { v7 as newId } from "uuid";
import { savePageOfPosts } from "../../lib/queries/analytics-refreshes.ts";
import { insertTarget } from "../../lib/queries/analytics-targets.ts";
import type { TenantIds } from "../../lib/queries/tenants.ts";
import type { FetchedPost, Metrics } from "../../lib/schemas/analytics-metrics.ts";
import type { Db } from "../../lib/services/database.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { METRICS } from "../../lib/shared/metrics.ts";
import type { Platform } from "../../lib/shared/platforms.ts";
import type { RunStatement } from "../support/insert-posts.ts";
import { createRandom } from "../support/random.ts";

export interface YearPost {
  id: string;
  platformPostId: string;
  kind: FetchedPost["kind"];
  publishedAt: Date;
  /** The observations that differ from the previous day, oldest first. */
  seen: { day: string; metrics: Metrics }[];
}

export interface YearTarget {
  id: string;
  platform: Platform;
  handle: string;
  /** Newest first. */
  posts: YearPost[];
}

export interface YearShape {
  targets: number;
  posts: number;
  days: number;
  /** End of the year. */
  until: Date;
}

const PLATFORMS = ["tiktok", "instagram", "youtube"] as const;
const KINDS = ["video", "video", "video", "carousel", "image"] as const;

/** Posts are unevenly distributed over the hours, and every fifth account starts late. No observations yet. */
export function generateYear({ targets: count, posts, days, until }: YearShape): YearTarget[] {
  const random = createRandom(20_261_120);
  return Array.from({ length: count }, (_, at) => {
    const length = at % 5 === 0 ? 0.4 : 1;
    const own = Math.floor((posts * (at + 1)) / count) - Math.floor((posts * at) / count);
    const generated = Array.from({ length: own }, (_, place): YearPost => {
      const day = new Date(until.getTime() - length * random() * (days - 1) * DAY_MS);
      const instant = day.setUTCHours(Math.floor(24 * Math.sqrt(random())), Math.floor(random() * 60), 0, 0);
      const publishedAt = new Date(Math.min(instant, until.getTime()));
      const kind = KINDS[Math.floor(random() * KINDS.length)] ?? "video";
      return { id: newId(), platformPostId: `${at}-${place}`, kind, publishedAt, seen: [] };
    });
    generated.sort((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime());
    return { id: newId(), platform: PLATFORMS[at % 3] ?? "tiktok", handle: `account.${at}`, posts: generated };
  });
}

interface Observation {
  target: YearTarget;
  now: Date;
  posts: FetchedPost[];
}

/** After this many days the metrics of a post are constant. */
const GROWS_FOR_DAYS = 21;

/** Observes every target daily, records changes in `seen`, and yields the posts as a reader returns them. */
function* listObservations(year: YearTarget[], { days, until }: YearShape): Generator<Observation> {
  const start = until.getTime() - (days - 1) * DAY_MS;
  for (const target of year) {
    const oldestFirst = target.posts.toReversed();
    let [from, to] = [0, 0];
    for (let day = 0; day < days; day++) {
      const now = new Date(day === days - 1 ? until : start + day * DAY_MS);
      const tooOld = now.getTime() - (GROWS_FOR_DAYS + 2) * DAY_MS;
      while ((oldestFirst[to]?.publishedAt ?? Number.POSITIVE_INFINITY) <= now) to += 1;
      while ((oldestFirst[from]?.publishedAt.getTime() ?? Number.POSITIVE_INFINITY) < tooOld) from += 1;
      const posts = oldestFirst.slice(from, to).map((post) => observe(post, now));
      if (posts.length > 0) yield { target, now, posts };
    }
  }
}

function observe(post: YearPost, now: Date): FetchedPost {
  const metrics = metricsAt(post, now);
  const day = now.toISOString().slice(0, 10);
  const last = post.seen.at(-1);
  if (!last || METRICS.some((name) => last.metrics[name] !== metrics[name])) post.seen.push({ day, metrics });
  const { platformPostId, kind, publishedAt } = post;
  const link = `https://example.com/${platformPostId}`;
  const words = { caption: `Post ${platformPostId}`, permalink: link, thumbnailUrl: null, durationSeconds: 12 };
  return { platformPostId, kind, publishedAt, ...words, ...metrics };
}

/** Fast growth at first; some posts lose views for a day, as networks correct counts. */
function metricsAt({ platformPostId, publishedAt }: YearPost, now: Date): Metrics {
  const [target = 0, place = 0] = platformPostId.split("-").map(Number);
  const own = createRandom(target * 100_003 + place);
  const maxViews = 200 + own() ** 4 * 200_000;
  const age = Math.min(GROWS_FOR_DAYS, (now.getTime() - publishedAt.getTime()) / DAY_MS);
  const factor = Math.floor(age) === 3 + Math.floor(own() * 60) ? 0.5 : 1;
  const views = Math.floor(maxViews * (1 - Math.exp(-(age + 0.1) / 4)) * factor);
  const part = (share: number) => Math.floor(views * share * (0.5 + own()));
  return { views, likes: part(0.06), comments: part(0.008), shares: part(0.004), saves: part(0.006) };
}

/** Writes every observation with the statement that refreshes use. */
export async function writeYear(
  db: Db,
  run: RunStatement,
  tenant: TenantIds,
  year: YearTarget[],
  shape: YearShape,
): Promise<void> {
  await insertTargets(db, tenant, year, shape);
  const leaseToken = newId();
  await run(
    `insert into analytics_refreshes (id, target_id, status, was_free, deadline_at, lease_token)
      select id, id, 'processing', true, now(), $1 from unnest($2::uuid[]) id`,
    [leaseToken, year.map(({ id }) => id)],
  );
  for (const { target, now, posts } of listObservations(year, shape)) {
    const page = { posts, seen: posts.length, cursor: "next", missing: {} };
    const stored = await savePageOfPosts(db, { id: target.id, leaseToken }, page, now, now);
    if (!stored) throw new Error("a page was not stored");
  }
}

async function insertTargets(db: Db, { ownerId, workspaceId }: TenantIds, year: YearTarget[], shape: YearShape) {
  const scope = { id: workspaceId ?? ownerId, ownerId, workspaceId };
  for (const { id, platform, handle } of year) {
    const names = { identifier: handle, normalizedIdentifier: handle, displayName: `The ${handle}` };
    await insertTarget(db, scope, { id, platform, ...names, maxPosts: 500, createdAt: shape.until }, "2026-01-01");
  }
}

/** Writes the same rows as `writeYear` in a few statements, which takes seconds for thousands of posts. */
export async function insertYear(
  db: Db,
  run: RunStatement,
  tenant: TenantIds,
  year: YearTarget[],
  shape: YearShape,
): Promise<void> {
  for (const _ of listObservations(year, shape));
  await insertTargets(db, tenant, year, shape);
  const posts = year.flatMap((target) => target.posts.map((post) => ({ target: target.id, ...post })));
  const last = ({ seen }: YearPost, name: keyof Metrics) => seen.at(-1)?.metrics[name] ?? 0;
  const columnsOf = (list: typeof posts) => METRICS.map((name) => list.map((post) => last(post, name)));
  for (let at = 0; at < posts.length; at += ROWS_PER_STATEMENT) {
    const part = posts.slice(at, at + ROWS_PER_STATEMENT);
    await run(INSERT_POSTS, [
      part.map(({ id }) => id),
      part.map(({ target }) => target),
      part.map(({ platformPostId }) => platformPostId),
      part.map(({ kind }) => kind),
      part.map(({ publishedAt }) => publishedAt.toISOString()),
      ...columnsOf(part),
    ]);
  }
  const snapshots = posts.flatMap(({ id, seen }) => seen.map(({ day, metrics }) => ({ id, day, ...metrics })));
  for (let at = 0; at < snapshots.length; at += ROWS_PER_STATEMENT) {
    const part = snapshots.slice(at, at + ROWS_PER_STATEMENT);
    const columns = METRICS.map((name) => part.map((snapshot) => snapshot[name]));
    await run(INSERT_SNAPSHOTS, [part.map(({ id }) => id), part.map(({ day }) => day), ...columns]);
  }
  await run(`insert into analytics_target_days (target_id, day, views, likes, comments, shares, saves) ${DAYS}`, []);
}

const ROWS_PER_STATEMENT = 20_000;

const INSERT_POSTS = `
  insert into analytics_posts (id, target_id, platform_post_id, kind, published_at, caption, permalink, duration_seconds,
    views, likes, comments, shares, saves)
  select id, target, name, kind, published, 'Post ' || name, 'https://example.com/' || name, 12, v, l, c, s, k
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::bigint[], $10::bigint[]) as made(id, target, name, kind, published, v, l, c, s, k)`;

const INSERT_SNAPSHOTS = `
  insert into analytics_snapshots (post_id, day, views, likes, comments, shares, saves)
  select * from unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])`;

/** The gains of each day, computed from snapshots; targets that have days already are skipped. */
export const DAYS = `
  select target_id, day, sum(views)::bigint as views, sum(likes)::bigint as likes, sum(comments)::bigint as comments,
    sum(shares)::bigint as shares, sum(saves)::bigint as saves
  from (
    select p.target_id,
      case when lag(s.day) over w is null then least((p.published_at at time zone 'UTC')::date, s.day) else s.day end as day,
      s.views - coalesce(lag(s.views) over w, 0) as views, s.likes - coalesce(lag(s.likes) over w, 0) as likes,
      s.comments - coalesce(lag(s.comments) over w, 0) as comments,
      s.shares - coalesce(lag(s.shares) over w, 0) as shares, s.saves - coalesce(lag(s.saves) over w, 0) as saves
    from analytics_snapshots s join analytics_posts p on p.id = s.post_id
    where not exists (select 1 from analytics_target_days d where d.target_id = p.target_id)
    window w as (partition by s.post_id order by s.day)
  ) gained group by target_id, day`;
