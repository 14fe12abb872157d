// `npm run verify`: the checks that need no local stack, side by side; prints the output of those that fail.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

const CHECKS: Record<string, string> = {
  "format and lint": "biome check --config-path .biome.json",
  types: "tsc --noEmit -p . && node functions/build/operation-types.ts && tsc --noEmit -p functions/workspace/scripts",
  "import rules": "node test/check/import-rules.ts",
  "pure tests": "vitest run -c test/vitest.config.ts --project pure",
};

async function run(name: string, command: string): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn(`${command} 2>&1`, { shell: true, stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const output = await text(child.stdout);
  const hasPassed = (await exited) === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(hasPassed ? `passed  ${seconds} s  ${name}` : `\n${output}\nFAILED  ${seconds} s  ${name}: ${command}`);
  return hasPassed;
}

const results = await Promise.all(Object.entries(CHECKS).map(([name, command]) => run(name, command)));
process.exitCode = results.every(Boolean) ? 0 : 1;
