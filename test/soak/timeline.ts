// The soak as an SVG picture: requests per second, what failed, the failures as bands, and memory.
import type { Failure } from "./failures.ts";
import { isSuccess, type Ledger } from "./ledger.ts";
import type { MemorySample } from "./verdict.ts";

const [WIDTH, PLOT, LEFT, TOP, GAP] = [960, 180, 60, 50, 50];
const [TEXT, GRID, GOOD, BAD, BAND, LINE] = ["#1f2933", "#d9dee4", "#2f6f9f", "#b8433a", "#f5e3b3", "#5a8f3c"];

export function renderTimeline(ledger: Ledger, failures: readonly Failure[], memory: readonly MemorySample[]): string {
  const end = Math.max(1, ...ledger.requests.map(({ until }) => until), ...memory.map(({ at }) => at));
  const x = (at: number) => LEFT + (at / end) * (WIDTH - LEFT - 20);
  const bucketMs = Math.max(1_000, Math.ceil(end / 300_000) * 1_000);
  const buckets = Array.from({ length: Math.ceil(end / bucketMs) }, () => ({ good: 0, bad: 0 }));
  for (const request of ledger.requests) {
    const bucket = buckets[Math.floor(request.until / bucketMs)];
    if (bucket) bucket[isSuccess(request) ? "good" : "bad"] += 1000 / bucketMs;
  }
  const maxRate = Math.max(1, ...buckets.map(({ good, bad }) => good + bad));
  const maxMemory = Math.max(1, ...memory.map(({ residentMiB }) => residentMiB));
  const [bottom, memoryBottom] = [TOP + PLOT, TOP + PLOT + GAP + PLOT];
  const y = (rate: number) => bottom - (rate / maxRate) * PLOT;
  const memoryY = (mib: number) => memoryBottom - (mib / maxMemory) * PLOT;
  const barWidth = Math.max(1, x(bucketMs) - x(0) - 0.5);

  const bands = failures.map(
    ({ name, from, until }) =>
      `<rect x="${x(from).toFixed(1)}" y="${TOP}" width="${Math.max(2, x(until) - x(from)).toFixed(1)}" height="${memoryBottom - TOP}" fill="${BAND}"/>
<text x="${x(from).toFixed(1)}" y="${TOP - 6}" font-size="9" fill="${TEXT}">${name}</text>`,
  );
  const bars = buckets.map(({ good, bad }, at) => {
    const left = x(at * bucketMs).toFixed(1);
    const bar = (from: number, height: number, color: string) =>
      height > 0
        ? `<rect x="${left}" y="${y(from + height).toFixed(1)}" width="${barWidth.toFixed(1)}" height="${(bottom - y(height)).toFixed(1)}" fill="${color}"/>`
        : "";
    return bar(0, good, GOOD) + bar(good, bad, BAD);
  });
  const points = memory.map(({ at, residentMiB }) => `${x(at).toFixed(1)},${memoryY(residentMiB).toFixed(1)}`);
  const ticks = Array.from({ length: 11 }, (_, at) => (end / 10) * at).map(
    (at) =>
      `<text x="${x(at).toFixed(1)}" y="${memoryBottom + 16}" text-anchor="middle" fill="${TEXT}">${Math.round(at / 1000)} s</text>`,
  );
  const axes = [bottom, memoryBottom].map(
    (at) => `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${at}" y2="${at}" stroke="${GRID}"/>`,
  );
  const height = memoryBottom + 40;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="11">
<rect width="100%" height="100%" fill="white"/>
<text x="${LEFT}" y="20" font-size="15" fill="${TEXT}">Requests per second (blue 2xx, red others) and resident memory of workerd; bands are failures</text>
${bands.join("\n")}
${axes.join("\n")}
<text x="${LEFT - 6}" y="${TOP + 10}" text-anchor="end" fill="${TEXT}">${Math.round(maxRate)}/s</text>
<text x="${LEFT - 6}" y="${bottom + GAP + 10}" text-anchor="end" fill="${TEXT}">${Math.round(maxMemory)} MiB</text>
${bars.filter(Boolean).join("\n")}
<polyline points="${points.join(" ")}" fill="none" stroke="${LINE}" stroke-width="1.5"/>
${ticks.join("\n")}
</svg>
`;
}
