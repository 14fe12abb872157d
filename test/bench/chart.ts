// Renders a table as an SVG bar chart: one horizontal bar per row, with a mark at its limit.
import type { Table } from "./section.ts";

const [ROW, BAR, LABELS, WIDTH, PADDING] = [28, 16, 220, 760, 20];
const [TEXT, GRID, GOOD, BAD, LIMIT] = ["#1f2933", "#d9dee4", "#2f6f9f", "#b8433a", "#e0a100"];

export function renderChart({ title, rows, chart }: Table): string {
  if (!chart) return "";
  const bars = rows.map((row) => ({
    label: String(row[chart.label] ?? ""),
    value: Number(row[chart.value] ?? 0),
    limit: typeof row[chart.limit] === "number" ? Number(row[chart.limit]) : null,
  }));
  const max = Math.max(1, ...bars.map(({ value, limit }) => Math.max(value, limit ?? 0)));
  const x = (value: number) => LABELS + (value / max) * (WIDTH - LABELS - 3 * PADDING);
  const top = 2 * ROW + PADDING;
  const height = top + bars.length * ROW + PADDING;
  const lines = Array.from({ length: max + 1 }, (_, at) => at).map(
    (at) => `<line x1="${x(at)}" x2="${x(at)}" y1="${top}" y2="${height - PADDING}" stroke="${GRID}"/>
<text x="${x(at)}" y="${top - 6}" text-anchor="middle" fill="${TEXT}">${at}</text>`,
  );
  const barElements = bars.map(({ label, value, limit }, at) => {
    const middle = top + at * ROW + ROW / 2;
    const color = limit !== null && value > limit ? BAD : GOOD;
    const mark = `<line x1="${x(limit ?? 0)}" x2="${x(limit ?? 0)}" y1="${middle - ROW / 2 + 2}" y2="${middle + ROW / 2 - 2}" stroke="${LIMIT}" stroke-width="3"/>`;
    return `<text x="${LABELS - 10}" y="${middle + 4}" text-anchor="end" fill="${TEXT}">${escapeXml(label)}</text>
<rect x="${LABELS}" y="${middle - BAR / 2}" width="${x(value) - LABELS}" height="${BAR}" fill="${color}"/>
<text x="${x(value) + 8}" y="${middle + 4}" fill="${TEXT}">${value}</text>
${limit === null ? "" : mark}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<text x="${PADDING}" y="${ROW}" fill="${TEXT}" font-size="15">${escapeXml(`${title}: ${chart.value}; the mark is ${chart.limit}`)}</text>
${lines.join("\n")}
${barElements.join("\n")}
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
