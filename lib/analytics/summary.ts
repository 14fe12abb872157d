// Builds the summary of a period from its totals.
import type { SummaryFigures, SummaryTotals } from "../queries/analytics-summary.ts";
import type { Summary } from "../schemas/analytics.ts";
import { engagementRate, interactions } from "../schemas/analytics-metrics.ts";

export function buildSummary(figures: SummaryFigures): Summary {
  const { first, last, series, now, before, hours, kinds, streak } = figures;
  const toKpi = (read: (totals: SummaryTotals) => number) => ({
    value: read(now),
    delta: before ? read(now) - read(before) : null,
  });
  return {
    period: { start: first, end: last, days: series.length },
    kpis: {
      publishedVideos: toKpi(({ posts }) => posts),
      activeAccounts: toKpi(({ accounts }) => accounts),
      views: toKpi(({ views }) => views),
      likes: toKpi(({ likes }) => likes),
      comments: toKpi(({ comments }) => comments),
      shares: toKpi(({ shares }) => shares),
      saves: toKpi(({ saves }) => saves),
      engagementRate: toKpi(engagementRate),
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

function buildHeatmap(hours: SummaryFigures["hours"]): number[][] {
  const map = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  for (const { weekday, hour, posts } of hours) {
    const day = map[weekday - 1];
    if (day) day[hour] = posts;
  }
  return map;
}
