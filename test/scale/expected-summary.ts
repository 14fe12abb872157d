// Computes the expected summary of a generated year without SQL, from the observations of each post.

import type { Summary } from "../../lib/schemas/analytics.ts";
import type { Period } from "../../lib/schemas/analytics-period.ts";
import { DAY_MS } from "../../lib/shared/durations.ts";
import { type Metric, REPORTED_METRICS } from "../../lib/shared/metrics.ts";
import type { YearPost, YearTarget } from "../analytics/year.ts";

const NAMES = ["views", "likes", "comments", "shares", "saves"] as const;
type Sums = Record<(typeof NAMES)[number], number>;

const createSums = (): Sums => ({ views: 0, likes: 0, comments: 0, shares: 0, saves: 0 });
const toDayNumber = (day: string) => Date.parse(day) / DAY_MS;
const toDate = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10);
const getPublishedDay = ({ publishedAt }: YearPost) => Math.floor(publishedAt.getTime() / DAY_MS);

/** The gains of one target by day number. */
export function computeGains(target: YearTarget): Map<number, Sums> {
  const gains = new Map<number, Sums>();
  for (const post of target.posts) {
    let before = createSums();
    for (const [at, { day, metrics }] of post.seen.entries()) {
      const on = at === 0 ? Math.min(getPublishedDay(post), toDayNumber(day)) : toDayNumber(day);
      const sums = gains.get(on) ?? createSums();
      for (const name of NAMES) sums[name] += metrics[name] - before[name];
      gains.set(on, sums);
      before = metrics;
    }
  }
  return gains;
}

export interface TargetGains {
  target: YearTarget;
  gains: Map<number, Sums>;
}

const getEngagementRate = ({ views, likes, comments, shares, saves }: Sums) =>
  views > 0 ? (likes + comments + shares + saves) / views : 0;

export function buildExpectedSummary(targets: TargetGains[], period: Period): Summary {
  const last = toDayNumber(period.last);
  const first = period.first === null ? findFirstDay(targets, last) : toDayNumber(period.first);
  const length = last - first + 1;
  const now = sumPeriod(targets, first, last);
  const before = period.first === null ? null : sumPeriod(targets, first - length, first - 1);
  const kpi = (of: (part: ReturnType<typeof sumPeriod>) => number) => ({
    value: of(now),
    delta: before ? of(now) - of(before) : null,
    coverage: targets.length > 0 ? 1 : null,
    // The targets are written without a refresh.
    refreshed_at: null,
  });
  /** A number that no network of the targets reports is null. */
  const covered = (name: Metric) => {
    const reporting = targets.filter(({ target }) => REPORTED_METRICS[target.platform].includes(name)).length;
    const found = kpi(({ sums }) => sums[name]);
    if (targets.length === 0) return found;
    const coverage = reporting / targets.length;
    return reporting > 0 ? { ...found, coverage } : { ...found, coverage, value: null, delta: null };
  };
  const series = Array.from({ length }, (_, at) => ({ date: toDate(first + at), ...sumDay(targets, first + at) }));
  return {
    period: { start: toDate(first), end: toDate(last), days: length },
    kpis: {
      publishedVideos: kpi(({ posts }) => posts.length),
      activeAccounts: kpi(({ active }) => active),
      views: covered("views"),
      likes: covered("likes"),
      comments: covered("comments"),
      shares: covered("shares"),
      saves: covered("saves"),
      engagementRate: kpi(({ sums }) => getEngagementRate(sums)),
    },
    interactionSeries: series.map(({ date, likes, comments, shares, saves }) => {
      const total = likes + comments + shares + saves;
      return { date, likes, comments, shares, saves, total };
    }),
    engagementSeries: series.map(({ date, ...sums }) => {
      const interactions = sums.likes + sums.comments + sums.shares + sums.saves;
      return { date, views: sums.views, interactions, engagementRate: getEngagementRate(sums) };
    }),
    ...summarizePosting(now.posts, last),
  };
}

function findFirstDay(targets: TargetGains[], last: number): number {
  const days = targets.flatMap(({ gains, target }) => [...gains.keys(), ...target.posts.map(getPublishedDay)]);
  return days.reduce((least, day) => Math.min(least, day), last);
}

function sumDay(targets: TargetGains[], day: number): Sums {
  const sums = createSums();
  for (const { gains } of targets) for (const name of NAMES) sums[name] += gains.get(day)?.[name] ?? 0;
  return sums;
}

function sumPeriod(targets: TargetGains[], first: number, last: number) {
  const sums = createSums();
  const inside = (day: number) => day >= first && day <= last;
  for (const { gains } of targets) {
    for (const [day, gained] of gains) if (inside(day)) for (const name of NAMES) sums[name] += gained[name];
  }
  const published = targets.map(({ target }) => target.posts.filter((post) => inside(getPublishedDay(post))));
  return { sums, posts: published.flat(), active: published.filter((posts) => posts.length > 0).length };
}

function summarizePosting(posts: YearPost[], last: number) {
  const heatmap = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  const kinds = new Map<YearPost["kind"], number>();
  for (const { publishedAt, kind } of posts) {
    const row = heatmap[(publishedAt.getUTCDay() + 6) % 7] ?? [];
    row[publishedAt.getUTCHours()] = (row[publishedAt.getUTCHours()] ?? 0) + 1;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const days = new Set(posts.map(getPublishedDay));
  const countStreak = (end: number) => {
    let run = 0;
    while (days.has(end - run)) run += 1;
    return run;
  };
  return {
    postingHeatmap: heatmap,
    // A streak does not end before the day is over.
    postingStreak: countStreak(last) || (last >= Math.floor(Date.now() / DAY_MS) ? countStreak(last - 1) : 0),
    longestPostingStreak: [...days].reduce((longest, day) => Math.max(longest, countStreak(day)), 0),
    contentMix: [...kinds]
      .map(([type, count]) => ({ type, posts: count, share: count / posts.length }))
      .sort((a, b) => b.posts - a.posts || a.type.localeCompare(b.type)),
  };
}
