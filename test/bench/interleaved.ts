// The same request of two scopes in turn, timed: what tells how much slower the larger one is.
import { performance } from "node:perf_hooks";

const WARM_UP = 5;

/** Medians in milliseconds; taking turns, both meet the same moods of the machine. */
export async function interleaved(
  turns: number,
  [few, many]: readonly [string, string],
  request: (token: string) => Promise<void>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let turn = -WARM_UP; turn < turns; turn++) {
    for (const [at, token] of [few, many].entries()) {
      const began = performance.now();
      await request(token);
      if (turn >= 0) times[at]?.push(performance.now() - began);
    }
  }
  return [median(times[0]), median(times[1])];
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 100) / 100;
}
