// What a summary must say of a made-up year, computed without SQL from what was seen of each post.
import type { Period } from "../../lib/analytics/period.ts";
import type { Summary } from "../../lib/schemas/analytics.ts";
import { DAY_MS, type YearPost, type YearTarget } from "./year.ts";

const NAMES = ["views", "likes", "comments", "shares", "saves"] as const;
type Sums = Record<(typeof NAMES)[number], number>;

const none = (): Sums => ({ views: 0, likes: 0, comments: 0, shares: 0, saves: 0 });
const numberOf = (day: string) => Date.parse(day) / DAY_MS;
const nameOf = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10);
const publishedOn = ({ publishedAt }: YearPost) => Math.floor(publishedAt.getTime() / DAY_MS);

/** The gains of one target by number of day. */
export function gainsOf(target: YearTarget): Map<number, Sums> {
  const gains = new Map<number, Sums>();
  for (const post of target.posts) {
    let before = none();
    for (const [at, { day, metrics }] of post.seen.entries()) {
      const on = at === 0 ? Math.min(publishedOn(post), numberOf(day)) : numberOf(day);
      const sums = gains.get(on) ?? none();
      for (const name of NAMES) sums[name] += metrics[name] - before[name];
      gains.set(on, sums);
      before = metrics;
    }
  }
  return gains;
}

export interface Known {
  target: YearTarget;
  gains: Map<number, Sums>;
}

const rateOf = ({ views, likes, comments, shares, saves }: Sums) =>
  views > 0 ? (likes + comments + shares + saves) / views : 0;

export function expectedSummary(known: Known[], period: Period): Summary {
  const last = numberOf(period.last);
  const first = period.first === null ? firstOf(known, last) : numberOf(period.first);
  const length = last - first + 1;
  const now = between(known, first, last);
  const before = period.first === null ? null : between(known, first - length, first - 1);
  const kpi = (of: (part: ReturnType<typeof between>) => number) => ({
    value: of(now),
    delta: before ? of(now) - of(before) : null,
  });
  const series = Array.from({ length }, (_, at) => ({ date: nameOf(first + at), ...dayOf(known, first + at) }));
  return {
    period: { start: nameOf(first), end: nameOf(last), days: length },
    kpis: {
      publishedVideos: kpi(({ posts }) => posts.length),
      activeAccounts: kpi(({ active }) => active),
      views: kpi(({ sums }) => sums.views),
      likes: kpi(({ sums }) => sums.likes),
      comments: kpi(({ sums }) => sums.comments),
      shares: kpi(({ sums }) => sums.shares),
      saves: kpi(({ sums }) => sums.saves),
      engagementRate: kpi(({ sums }) => rateOf(sums)),
    },
    interactionSeries: series.map(({ date, likes, comments, shares, saves }) => {
      const total = likes + comments + shares + saves;
      return { date, likes, comments, shares, saves, total };
    }),
    engagementSeries: series.map(({ date, ...sums }) => {
      const interactions = sums.likes + sums.comments + sums.shares + sums.saves;
      return { date, views: sums.views, interactions, engagementRate: rateOf(sums) };
    }),
    ...postingOf(now.posts, last),
  };
}

function firstOf(known: Known[], last: number): number {
  const days = known.flatMap(({ gains, target }) => [...gains.keys(), ...target.posts.map(publishedOn)]);
  return days.reduce((least, day) => Math.min(least, day), last);
}

function dayOf(known: Known[], day: number): Sums {
  const sums = none();
  for (const { gains } of known) for (const name of NAMES) sums[name] += gains.get(day)?.[name] ?? 0;
  return sums;
}

function between(known: Known[], first: number, last: number) {
  const sums = none();
  const inside = (day: number) => day >= first && day <= last;
  for (const { gains } of known) {
    for (const [day, gained] of gains) if (inside(day)) for (const name of NAMES) sums[name] += gained[name];
  }
  const published = known.map(({ target }) => target.posts.filter((post) => inside(publishedOn(post))));
  return { sums, posts: published.flat(), active: published.filter((posts) => posts.length > 0).length };
}

function postingOf(posts: YearPost[], last: number) {
  const heatmap = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  const kinds = new Map<YearPost["kind"], number>();
  for (const { publishedAt, kind } of posts) {
    const row = heatmap[(publishedAt.getUTCDay() + 6) % 7] ?? [];
    row[publishedAt.getUTCHours()] = (row[publishedAt.getUTCHours()] ?? 0) + 1;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const days = new Set(posts.map(publishedOn));
  const runFrom = (end: number) => {
    let run = 0;
    while (days.has(end - run)) run += 1;
    return run;
  };
  return {
    postingHeatmap: heatmap,
    postingStreak: {
      current: runFrom(last) || runFrom(last - 1),
      longest: [...days].reduce((longest, day) => Math.max(longest, runFrom(day)), 0),
    },
    contentMix: [...kinds]
      .map(([type, count]) => ({ type, posts: count, share: count / posts.length }))
      .sort((a, b) => b.posts - a.posts || a.type.localeCompare(b.type)),
  };
}
