// Turns the figures of a period into what a summary says of them.
import type { Figures, Totals } from "../queries/analytics-summary.ts";
import type { Summary } from "../schemas/analytics.ts";
import { engagementRate, interactions } from "./metrics.ts";

export function summaryOf(figures: Figures): Summary {
  const { first, last, series, now, before, hours, kinds, streak } = figures;
  const kpi = (of: (totals: Totals) => number) => ({ value: of(now), delta: before ? of(now) - of(before) : null });
  return {
    period: { start: first, end: last, days: series.length },
    kpis: {
      publishedVideos: kpi(({ posts }) => posts),
      activeAccounts: kpi(({ accounts }) => accounts),
      views: kpi(({ views }) => views),
      likes: kpi(({ likes }) => likes),
      comments: kpi(({ comments }) => comments),
      shares: kpi(({ shares }) => shares),
      saves: kpi(({ saves }) => saves),
      engagementRate: kpi(engagementRate),
    },
    interactionSeries: series.map(({ views, date, ...gained }) => ({
      date,
      ...gained,
      total: interactions({ views, ...gained }),
    })),
    engagementSeries: series.map(({ date, ...gained }) => ({
      date,
      views: gained.views,
      interactions: interactions(gained),
      engagementRate: engagementRate(gained),
    })),
    postingHeatmap: heatmapOf(hours),
    postingStreak: streak,
    contentMix: kinds.map(({ kind, posts }) => ({ type: kind, posts, share: posts / now.posts })),
  };
}

function heatmapOf(hours: Figures["hours"]): number[][] {
  const map = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  for (const { weekday, hour, posts } of hours) {
    const day = map[weekday - 1];
    if (day) day[hour] = posts;
  }
  return map;
}
