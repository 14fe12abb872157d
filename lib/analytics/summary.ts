// Builds the summary of a period from its totals.
import type { CoveredNumber, SummaryFigures, SummaryTotals } from "../queries/analytics-summary.ts";
import type { Summary } from "../schemas/analytics.ts";
import { engagementRate, interactions } from "../schemas/analytics-metrics.ts";

export function buildSummary(figures: SummaryFigures): Summary {
  const { first, last, series, now, before, hours, kinds, coverage, streak } = figures;
  const toKpi = (read: (totals: SummaryTotals) => number) => ({
    value: read(now),
    delta: before ? read(now) - read(before) : null,
    coverage: coverage.all > 0 ? 1 : null,
    refreshed_at: toInstant(coverage.refreshedAt.all),
  });
  /** A number that no account of the summary gives is null. */
  const toCoveredKpi = (name: CoveredNumber, read: (totals: SummaryTotals) => number) => ({
    ...toKpi(read),
    ...(coverage.all > 0 ? { coverage: coverage.accounts[name] / coverage.all } : {}),
    ...(coverage.all > 0 && coverage.accounts[name] === 0 ? { value: null, delta: null } : {}),
    refreshed_at: toInstant(coverage.refreshedAt[name]),
  });
  return {
    period: { start: first, end: last, days: series.length },
    kpis: {
      publishedVideos: toKpi(({ posts }) => posts),
      activeAccounts: toKpi(({ accounts }) => accounts),
      views: toCoveredKpi("views", ({ views }) => views),
      likes: toCoveredKpi("likes", ({ likes }) => likes),
      comments: toCoveredKpi("comments", ({ comments }) => comments),
      shares: toCoveredKpi("shares", ({ shares }) => shares),
      saves: toCoveredKpi("saves", ({ saves }) => saves),
      engagementRate: toCoveredKpi("engagementRate", engagementRate),
    },
    interactionSeries: series.map((day) => {
      const { date, likes, comments, shares, saves } = day;
      return { date, likes, comments, shares, saves, total: interactions(day) };
    }),
    engagementSeries: series.map(({ date, ...gained }) => ({
      date,
      views: gained.views,
      interactions: interactions(gained),
      engagementRate: engagementRate(gained),
    })),
    postingHeatmap: buildHeatmap(hours),
    postingStreak: streak.current,
    longestPostingStreak: streak.longest,
    contentMix: kinds.map(({ kind, posts }) => ({ type: kind, posts, share: posts / now.posts })),
  };
}

const toInstant = (text: string | null): Date | null => (text === null ? null : new Date(text));

function buildHeatmap(hours: SummaryFigures["hours"]): number[][] {
  const map = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  for (const { weekday, hour, posts } of hours) {
    const day = map[weekday - 1];
    if (day) day[hour] = posts;
  }
  return map;
}
