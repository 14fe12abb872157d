// A series of days as bars, with its numbers as a table beside it. Drawn on the server: no script, no style attributes.

import type { FC } from "hono/jsx";
import { at } from "../../../lib/shared/at.ts";
import { formatNumber, formatPlainDay } from "../format.ts";

const HEIGHT = 120;
const WIDTH = 600;
/** More bars than pixels cannot be seen: longer series are summed. */
const MAX_BARS = 60;

export type DayValue = readonly [date: string, value: number];

export const Chart: FC<{ title: string; rows: DayValue[] }> = ({ title, rows }) => {
  const bars = sumRows(rows);
  const total = rows.reduce((sum, [, value]) => sum + value, 0);
  return (
    <section class="card chart">
      <h3>{title}</h3>
      {bars.length === 0 ? (
        <p class="hint">No days yet.</p>
      ) : (
        <>
          <div class="plot">
            <span class="scale" aria-hidden="true">
              {formatNumber(findHighest(bars))}
            </span>
            <Bars bars={bars} label={`${title}: ${formatNumber(total)} in all`} />
          </div>
          <p class="scale" aria-hidden="true">
            <span>{formatPlainDay(at(bars, 0)[0])}</span>
            <span>{formatPlainDay(at(rows, rows.length - 1)[0])}</span>
          </p>
          <details>
            <summary>
              As a table<span class="visually-hidden">: {title}</span>
            </summary>
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{bars.length < rows.length ? "Days from" : "Day"}</th>
                    <th scope="col">{title}</th>
                  </tr>
                </thead>
                <tbody>
                  {bars.map(([date, value]) => (
                    <tr>
                      <th scope="row">{formatPlainDay(date)}</th>
                      <td>{formatNumber(value)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </details>
        </>
      )}
    </section>
  );
};

/** Beside a number that says the same: readers of screens get that. */
export const SmallChart: FC<{ rows: DayValue[] }> = ({ rows }) => {
  const bars = sumRows(rows);
  return bars.length === 0 ? null : <Bars bars={bars} />;
};

const Bars: FC<{ bars: DayValue[]; label?: string }> = ({ bars, label }) => {
  const highest = findHighest(bars);
  const step = WIDTH / bars.length;
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it is an image with a label, or hidden beside a number that says the same.
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      {...(label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" })}
    >
      {bars.map(([date, value], index) => {
        // Networks correct counts, so that the gain of a day can be below zero.
        const height = (Math.max(0, value) / highest) * HEIGHT;
        return (
          <rect x={index * step} y={HEIGHT - height} width={step * 0.8} height={height}>
            {label && <title>{`${formatPlainDay(date)}: ${formatNumber(value)}`}</title>}
          </rect>
        );
      })}
    </svg>
  );
};

const findHighest = (bars: DayValue[]): number => Math.max(1, ...bars.map(([, value]) => value));

/** Neighbouring days together, named by the first of them. */
function sumRows(rows: DayValue[]): DayValue[] {
  const size = Math.ceil(rows.length / MAX_BARS);
  if (size <= 1) return rows;
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) => {
    const part = rows.slice(index * size, (index + 1) * size);
    return [at(part, 0)[0], part.reduce((sum, [, value]) => sum + value, 0)];
  });
}
