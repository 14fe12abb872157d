// The gains of a period: figures, charts, and the hours and kinds of posts.

import type { FC } from "hono/jsx";
import type { Summary } from "../../../lib/schemas/analytics.ts";
import { formatNumber, formatPlainDay, WEEKDAYS } from "../format.ts";
import { Chart } from "./chart.tsx";
import { formatRate, MEASURE_WORDS } from "./words.ts";

const KPI_WORDS = { publishedVideos: "Posts", ...MEASURE_WORDS } as const satisfies Partial<
  Record<keyof Summary["kpis"], string>
>;

const KIND_WORDS = { video: "Videos", image: "Pictures", carousel: "Carousels", text: "Texts" } as const;

export const Figures: FC<{ summary: Summary; timeZone: string }> = ({ summary, timeZone }) => {
  const { period, kpis, engagementSeries } = summary;
  return (
    <>
      <p class="hint">
        {formatPlainDay(period.start)} to {formatPlainDay(period.end)}, days of UTC.{" "}
        {kpis.views.delta !== null && `Compared with the ${formatNumber(period.days)} days before.`}
      </p>
      <dl class="figures measured">
        {Object.entries(KPI_WORDS).map(([name, words]) => (
          <Figure name={words} kpi={kpis[name as keyof typeof KPI_WORDS]} isRate={name === "engagementRate"} />
        ))}
      </dl>
      <details class="help">
        <summary>What do these numbers mean?</summary>
        <p>
          What your posts gained on these days, older posts included. Engagement is likes, comments, shares and saves
          for each view. A number that no network of these accounts gives is “not given”; the page of an account says
          which, and which permission is missing.
        </p>
      </details>
      <div class="charts">
        <Chart title="Views" rows={engagementSeries.map(({ date, views }) => [date, views])} />
        <Chart title="Interactions" rows={engagementSeries.map(({ date, interactions }) => [date, interactions])} />
      </div>
      <div class="charts">
        <Heatmap map={summary.postingHeatmap} timeZone={timeZone} />
        <Habits summary={summary} />
      </div>
    </>
  );
};

const Figure: FC<{ name: string; kpi: { value: number | null; delta: number | null }; isRate: boolean }> = ({
  name,
  kpi,
  isRate,
}) => {
  const format = isRate ? formatRate : formatNumber;
  const { value, delta } = kpi;
  return (
    <div class="card">
      <dt>{name}</dt>
      <dd>
        <strong>{value === null ? "not given" : format(value)}</strong>
        {delta !== null && (
          <span class="hint">
            {delta === 0 ? "as" : `${delta > 0 ? "+" : "−"}${format(Math.abs(delta))} on`} the period before
          </span>
        )}
      </dd>
    </div>
  );
};

const LEVELS = 4;

const Heatmap: FC<{ map: number[][]; timeZone: string }> = ({ map, timeZone }) => {
  const highest = Math.max(...map.flat());
  return (
    <section class="card">
      <h3>When posts went out</h3>
      <p class="hint">
        Posts per weekday and hour, in {timeZone}. {describeBusiest(map, highest)}
      </p>
      {highest > 0 && (
        <table class="heatmap">
          <thead>
            <tr>
              <th scope="col">Hour</th>
              {WEEKDAYS.map((day) => (
                <th scope="col">
                  <abbr title={day}>{day.slice(0, 2)}</abbr>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: 24 }, (_, hour) => (
              <tr>
                <th scope="row">{formatHour(hour)}</th>
                {map.map((day) => {
                  const posts = day[hour] ?? 0;
                  return <td class={`level-${Math.ceil((posts / highest) * LEVELS)}`}>{posts > 0 ? posts : ""}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
};

const formatHour = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

function describeBusiest(map: number[][], highest: number): string {
  if (highest === 0) return "None in this period.";
  const weekday = map.findIndex((day) => day.includes(highest));
  const hour = map[weekday]?.indexOf(highest) ?? 0;
  return `Most of them: ${WEEKDAYS[weekday]} from ${formatHour(hour)}, ${highest} ${highest === 1 ? "post" : "posts"}.`;
}

const Habits: FC<{ summary: Summary }> = ({ summary }) => (
  <section class="card">
    <h3>Streaks and kinds</h3>
    <dl class="facts">
      <dt>Days in a row with a post, until the last one</dt>
      <dd>{formatNumber(summary.postingStreak)}</dd>
      <dt>Longest in this period</dt>
      <dd>{formatNumber(summary.longestPostingStreak)}</dd>
    </dl>
    {summary.contentMix.length > 0 && (
      <ul class="mix">
        {summary.contentMix.map(({ type, posts, share }) => (
          <li>
            <label for={`mix-${type}`}>{KIND_WORDS[type]}</label>
            <meter id={`mix-${type}`} min={0} max={1} value={share} />
            <span class="hint">
              {formatRate(share)}, {formatNumber(posts)} {posts === 1 ? "post" : "posts"}
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);
