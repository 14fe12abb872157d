// Compares the latency of the same request between a small and a large scope.
import { performance } from "node:perf_hooks";
import { median } from "../support/statistics.ts";

const WARM_UP_ROUNDS = 5;

/** Returns medians in milliseconds; alternates between the scopes, so that temporary load affects both equally. */
export async function compareLatency(
  rounds: number,
  [few, many]: readonly [string, string],
  request: (token: string) => Promise<void>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const [at, token] of [few, many].entries()) {
      const began = performance.now();
      await request(token);
      if (round >= 0) times[at]?.push(performance.now() - began);
    }
  }
  const round = (ms: number) => Math.round(ms * 100) / 100;
  return [round(median(times[0])), round(median(times[1]))];
}
