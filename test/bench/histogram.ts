// Renders the distribution of lateness as an SVG histogram, with logarithmic classes and marks at percentiles.
import { percentile } from "../support/statistics.ts";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [760, 320, 60, 50, 60];
const [TEXT, BAR, MARK] = ["#1f2933", "#2f6f9f", "#b8433a"];
const CLASSES_PER_DECADE = 8;
const MIN_MS = 10;

export function renderHistogram(title: string, latenessMs: number[]): string {
  const toClass = (ms: number) =>
    Math.max(0, Math.floor(Math.log10(Math.max(MIN_MS, ms) / MIN_MS) * CLASSES_PER_DECADE));
  const counts: number[] = [];
  for (const ms of latenessMs) counts[toClass(ms)] = (counts[toClass(ms)] ?? 0) + 1;
  const classes = Math.max(CLASSES_PER_DECADE * 3, counts.length);
  const max = Math.max(1, ...counts.filter((count) => count !== undefined));
  const step = (WIDTH - LEFT - 20) / classes;
  const height = HEIGHT - TOP - BOTTOM;
  const bars = Array.from({ length: classes }, (_, at) => counts[at] ?? 0).map((count, at) => {
    const bar = (count / max) * height;
    return `<rect x="${(LEFT + at * step).toFixed(1)}" y="${(TOP + height - bar).toFixed(1)}" width="${(step - 1).toFixed(1)}" height="${bar.toFixed(1)}" fill="${BAR}"/>`;
  });
  const decades = Array.from({ length: Math.floor(classes / CLASSES_PER_DECADE) + 1 }, (_, decade) => {
    const x = LEFT + decade * CLASSES_PER_DECADE * step;
    return `<text x="${x.toFixed(1)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="${TEXT}">${formatMs(MIN_MS * 10 ** decade)}</text>`;
  });
  const marks = [50, 95, 99].map((percent, at) => {
    const ms = percentile(latenessMs, percent / 100);
    const x = LEFT + Math.log10(Math.max(MIN_MS, ms) / MIN_MS) * CLASSES_PER_DECADE * step;
    return `<line x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${TOP - 4}" y2="${TOP + height}" stroke="${MARK}"/>
<text x="${(x + 3).toFixed(1)}" y="${TOP + 10 + at * 14}" fill="${MARK}">p${percent} ${formatMs(ms)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%" height="100%" fill="white"/>
<text x="20" y="28" fill="${TEXT}" font-size="15">${title}</text>
<text x="${LEFT - 8}" y="${TOP + 4}" text-anchor="end" fill="${TEXT}">${max}</text>
${bars.join("\n")}
${decades.join("\n")}
${marks.join("\n")}
<text x="${WIDTH / 2}" y="${HEIGHT - 10}" text-anchor="middle" fill="${TEXT}">lateness of a post</text>
</svg>
`;
}

function formatMs(ms: number): string {
  return ms >= 1000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms)} ms`;
}
