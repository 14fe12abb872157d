// A reporter that names the tests that passed only at their second attempt, so that a retry hides no race.
import type { Reporter, TestModule } from "vitest/node";

export default class RetriedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules.flatMap((module) =>
      [...module.children.allTests("passed")].filter((test) => test.diagnostic()?.flaky),
    );
    if (retried.length === 0) return;
    console.log(`\n${retried.length} tests failed at first and passed when they were repeated:`);
    for (const { fullName, module } of retried) console.log(`  ${module.relativeModuleId} > ${fullName}`);
  }
}
