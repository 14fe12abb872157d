// A reporter that prints the ten slowest test files: `npm test -- --reporter=default --reporter=./test/support/slowest-files.ts`.
import type { Reporter, TestModule } from "vitest/node";

const COUNT = 10;

export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules
      .map((module) => ({ file: module.relativeModuleId, seconds: measure(module) / 1000 }))
      .toSorted((a, b) => b.seconds - a.seconds);
    const total = rows.reduce((sum, { seconds }) => sum + seconds, 0);
    const slowest = rows.slice(0, COUNT);
    console.log(`\nThe ${slowest.length} slowest of ${rows.length} files, ${total.toFixed(1)} s in all workers:`);
    for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(8)} s  ${file}`);
  }
}

/** Milliseconds from the start of a file to its end, imports and hooks included. */
function measure(module: TestModule): number {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } = module.diagnostic();
  return collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration;
}
