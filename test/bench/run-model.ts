// Runs a scenario with modelled consumers, networks and time.
import type { BenchDatabase } from "./bench-database.ts";
import { BUSY_TOKEN, type ScenarioRun } from "./due-scenarios.ts";
import { startConsumers } from "./modelled-consumers.ts";
import { createModelledNetworks, type ModelledNetworks } from "./modelled-networks.ts";
import type { BenchContext } from "./section.ts";
import { createVirtualClock } from "./virtual-clock.ts";

/** Runs `work` with consumers and a clock of the model, then `finish` in real time; the posts are deleted afterwards. */
export async function runModel<Done, Result>(
  { short }: BenchContext,
  bench: BenchDatabase,
  work: (run: ScenarioRun) => Promise<Done>,
  finish: (done: Done, run: ScenarioRun, networks: ModelledNetworks) => Promise<Result>,
): Promise<Result> {
  const clock = createVirtualClock(Date.now());
  const networks = createModelledNetworks(clock, { failing: !short });
  const run = startConsumers(clock, bench.vars, bench.database, networks);
  const isDrained = async () => {
    const [row] = await bench.database.query<{ n: number }>(
      "select count(*)::int as n from post_deliveries where next_attempt_at is not null and status <> 'posted' and lease_token is distinct from $1",
      [BUSY_TOKEN],
    );
    return row?.n === 0;
  };
  const scenarioRun = { ...run, clock, isDrained };
  try {
    return await finish(await clock.runUntil(work(scenarioRun)), scenarioRun, networks);
  } finally {
    run.stop();
    await bench.database.query("delete from posts");
  }
}
