// The gains of the tracked accounts in a period: figures, a chart per measure, and the same numbers as a table beside it.
import type { FC } from "hono/jsx";
import type { Summary } from "../../../lib/schemas/analytics.ts";
import { RANGES } from "../../../lib/schemas/analytics-period.ts";
import summary from "../../analytics/summary.ts";
import { Chart } from "../chart.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";

type Range = (typeof RANGES)[number];

const RANGE_WORDS: Record<Range, string> = {
  "14d": "14 days",
  "30d": "30 days",
  "90d": "90 days",
  "1y": "a year",
  all: "everything",
};
const KPI_WORDS = {
  publishedVideos: "Posts",
  views: "Views",
  likes: "Likes",
  comments: "Comments",
  shares: "Shares",
  saves: "Saves",
  engagementRate: "Engagement",
} as const satisfies Partial<Record<keyof Summary["kpis"], string>>;

async function showAnalytics(c: PageContext): Promise<Response> {
  const range = RANGES.find((one) => one === c.req.query("range")) ?? "30d";
  const result = await runOperation<Summary>(c, summary, { query: { range } });
  const { kpis, engagementSeries } = result;
  const isEmpty = kpis.activeAccounts.value === 0 && kpis.views.value === 0;
  return c.html(
    <Layout c={c} title="Analytics" active="analytics">
      <nav class="months" aria-label="Period">
        {RANGES.map((one) => (
          <a class="button" href={`?range=${one}`} aria-current={one === range ? "true" : undefined}>
            {RANGE_WORDS[one]}
          </a>
        ))}
      </nav>
      {isEmpty ? (
        <Empty title="Nothing is measured yet">
          <p>
            Track an account with <code>POST /analytics/targets</code>. Its posts are read every day and counted here.
          </p>
        </Empty>
      ) : (
        <>
          <dl class="figures">
            {Object.entries(KPI_WORDS).map(([name, words]) => (
              <Figure name={words} kpi={kpis[name as keyof typeof KPI_WORDS]} isRate={name === "engagementRate"} />
            ))}
          </dl>
          <div class="charts">
            <Chart title="Views" rows={engagementSeries.map(({ date, views }) => [date, views])} />
            <Chart title="Interactions" rows={engagementSeries.map(({ date, interactions }) => [date, interactions])} />
          </div>
        </>
      )}
    </Layout>,
  );
}

const Figure: FC<{ name: string; kpi: { value: number; delta: number | null }; isRate: boolean }> = ({
  name,
  kpi,
  isRate,
}) => {
  const format = (value: number) => (isRate ? `${(value * 100).toFixed(1)} %` : value.toLocaleString("en-GB"));
  const { value, delta } = kpi;
  return (
    <div class="card">
      <dt>{name}</dt>
      <dd>
        <strong>{format(value)}</strong>
        {delta !== null && (
          <span class="hint">
            {" "}
            {delta >= 0 ? "+" : "−"}
            {format(Math.abs(delta))} on the period before
          </span>
        )}
      </dd>
    </div>
  );
};

export const analyticsPages: Page[] = [
  { id: "analytics.show", method: "GET", path: "/analytics", role: "viewer", handle: showAnalytics },
];
