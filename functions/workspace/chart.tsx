// A series of days as bars, with its numbers as a table beside it. Drawn on the server: no script, no style attributes.
import type { FC } from "hono/jsx";
import { at } from "../../lib/shared/at.ts";

const HEIGHT = 120;
const WIDTH = 600;
/** More bars than pixels cannot be seen: longer series are summed. */
const MAX_BARS = 60;

type Row = readonly [date: string, value: number];

export const Chart: FC<{ title: string; rows: Row[] }> = ({ title, rows }) => {
  const bars = sumRows(rows);
  const highest = Math.max(1, ...bars.map(([, value]) => value));
  const total = rows.reduce((sum, [, value]) => sum + value, 0).toLocaleString("en-GB");
  const step = WIDTH / Math.max(1, bars.length);
  return (
    <section class="card chart">
      <h2>{title}</h2>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        preserveAspectRatio="none"
        aria-label={`${title}: ${total} in all`}
      >
        {bars.map(([, value], index) => {
          const height = (value / highest) * HEIGHT;
          return <rect x={index * step} y={HEIGHT - height} width={step * 0.8} height={height} />;
        })}
      </svg>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">{title}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(([date, value]) => (
              <tr>
                <th scope="row">{date}</th>
                <td>{value.toLocaleString("en-GB")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
};

/** Neighbouring days together, named by the first of them. */
function sumRows(rows: Row[]): Row[] {
  const size = Math.ceil(rows.length / MAX_BARS);
  if (size <= 1) return rows;
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) => {
    const part = rows.slice(index * size, (index + 1) * size);
    return [at(part, 0)[0], part.reduce((sum, [, value]) => sum + value, 0)];
  });
}
