// A made-up year of tracked accounts, each looked at every day: for checks of sums, and for the bench.
import { v7 as newId } from "uuid";
import type { Network } from "../../lib/analytics/identifier.ts";
import { METRICS, type Metrics } from "../../lib/analytics/metrics.ts";
import type { SeenPost } from "../../lib/analytics/readers/reader.ts";
import type { Db } from "../../lib/db.ts";
import * as refreshes from "../../lib/queries/analytics-refreshes.ts";
import * as targets from "../../lib/queries/analytics-targets.ts";
import type { Tenant } from "../../lib/queries/tenants.ts";
import type { Run } from "../bulk.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;

export interface YearPost {
  id: string;
  platformPostId: string;
  kind: SeenPost["kind"];
  publishedAt: Date;
  /** What was seen of it where it differed from the day before; oldest first. */
  seen: { day: string; metrics: Metrics }[];
}

export interface YearTarget {
  id: string;
  platform: Network;
  handle: string;
  /** Newest first. */
  posts: YearPost[];
}

export interface YearShape {
  targets: number;
  posts: number;
  days: number;
  /** The last instant of the year. */
  until: Date;
}

/** Mulberry32: the same numbers for the same seed. */
export function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PLATFORMS = ["tiktok", "instagram", "youtube"] as const;
const KINDS = ["video", "video", "video", "carousel", "image"] as const;

/** Hours are not alike, and every fifth account began late. Nothing is seen yet. */
export function makeYear({ targets: count, posts, days, until }: YearShape): YearTarget[] {
  const chance = chances(20_261_120);
  return Array.from({ length: count }, (_, at) => {
    const length = at % 5 === 0 ? 0.4 : 1;
    const own = Math.floor((posts * (at + 1)) / count) - Math.floor((posts * at) / count);
    const made = Array.from({ length: own }, (_, place): YearPost => {
      const day = new Date(until.getTime() - length * chance() * (days - 1) * DAY_MS);
      const instant = day.setUTCHours(Math.floor(24 * Math.sqrt(chance())), Math.floor(chance() * 60), 0, 0);
      const publishedAt = new Date(Math.min(instant, until.getTime()));
      const kind = KINDS[Math.floor(chance() * KINDS.length)] ?? "video";
      return { id: newId(), platformPostId: `${at}-${place}`, kind, publishedAt, seen: [] };
    });
    made.sort((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime());
    return { id: newId(), platform: PLATFORMS[at % 3] ?? "tiktok", handle: `account.${at}`, posts: made };
  });
}

interface Look {
  target: YearTarget;
  now: Date;
  posts: SeenPost[];
}

/** After so many days nothing happens to a post any more. */
const GROWS_FOR_DAYS = 21;

/** Looks at every target day after day, notes what is seen, and answers with it as a reader would. */
function* looksAt(year: YearTarget[], { days, until }: YearShape): Generator<Look> {
  const start = until.getTime() - (days - 1) * DAY_MS;
  for (const target of year) {
    const oldestFirst = target.posts.toReversed();
    let [from, to] = [0, 0];
    for (let day = 0; day < days; day++) {
      const now = new Date(day === days - 1 ? until : start + day * DAY_MS);
      const tooOld = now.getTime() - (GROWS_FOR_DAYS + 2) * DAY_MS;
      while ((oldestFirst[to]?.publishedAt ?? Number.POSITIVE_INFINITY) <= now) to += 1;
      while ((oldestFirst[from]?.publishedAt.getTime() ?? Number.POSITIVE_INFINITY) < tooOld) from += 1;
      const posts = oldestFirst.slice(from, to).map((post) => look(post, now));
      if (posts.length > 0) yield { target, now, posts };
    }
  }
}

function look(post: YearPost, now: Date): SeenPost {
  const metrics = metricsAt(post, now);
  const day = now.toISOString().slice(0, 10);
  const last = post.seen.at(-1);
  if (!last || METRICS.some((name) => last.metrics[name] !== metrics[name])) post.seen.push({ day, metrics });
  const { platformPostId, kind, publishedAt } = post;
  const link = `https://example.com/${platformPostId}`;
  const words = { caption: `Post ${platformPostId}`, permalink: link, thumbnailUrl: null, durationSeconds: 12 };
  return { platformPostId, kind, publishedAt, ...words, ...metrics };
}

/** Fast at first, with a few views that its network takes back again. */
function metricsAt({ platformPostId, publishedAt }: YearPost, now: Date): Metrics {
  const [target = 0, place = 0] = platformPostId.split("-").map(Number);
  const own = chances(target * 100_003 + place);
  const most = 200 + own() ** 4 * 200_000;
  const age = Math.min(GROWS_FOR_DAYS, (now.getTime() - publishedAt.getTime()) / DAY_MS);
  const left = Math.floor(age) === 3 + Math.floor(own() * 60) ? 0.5 : 1;
  const views = Math.floor(most * (1 - Math.exp(-(age + 0.1) / 4)) * left);
  const part = (share: number) => Math.floor(views * share * (0.5 + own()));
  return { views, likes: part(0.06), comments: part(0.008), shares: part(0.004), saves: part(0.006) };
}

/** Writes every look by the statement that refreshes use. */
export async function writeYear(db: Db, run: Run, tenant: Tenant, year: YearTarget[], shape: YearShape): Promise<void> {
  await insertTargets(db, tenant, year, shape);
  const leaseToken = newId();
  await run(
    `insert into analytics_refreshes (id, target_id, status, was_free, deadline_at, lease_token)
      select id, id, 'processing', true, now(), $1 from unnest($2::uuid[]) id`,
    [leaseToken, year.map(({ id }) => id)],
  );
  for (const { target, now, posts } of looksAt(year, shape)) {
    const page = { posts, seen: posts.length, cursor: "next" };
    const kept = await refreshes.keepPage(db, { id: target.id, leaseToken }, page, now, now);
    if (!kept) throw new Error("a page was not kept");
  }
}

async function insertTargets(db: Db, { ownerId, workspaceId }: Tenant, year: YearTarget[], shape: YearShape) {
  const scope = { id: workspaceId ?? ownerId, ownerId, workspaceId };
  for (const { id, platform, handle } of year) {
    const names = { identifier: handle, normalizedIdentifier: handle, displayName: `The ${handle}` };
    await targets.insert(db, scope, { id, platform, ...names, maxPosts: 500, createdAt: shape.until }, "2026-01-01");
  }
}

/** The same rows as `writeYear` leaves, in few statements: a year of daily looks at thousands of posts in seconds. */
export async function insertYear(
  db: Db,
  run: Run,
  tenant: Tenant,
  year: YearTarget[],
  shape: YearShape,
): Promise<void> {
  for (const _ of looksAt(year, shape));
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

/** What each day gained, told by the snapshots alone; targets that have their days already are left out. */
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
