// The Workers of the local stack are those of a deploy: the same modules with the same bytes, except for source maps.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { buildWorkers, WORKERS } from "../local/runtime/build-workers.ts";
import { WRANGLER_ENVIRONMENT } from "../local/wrangler-environment.ts";

const ROOT = join(import.meta.dirname, "../..");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), "built-workers-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("every Worker has the modules that wrangler deploys", async () => {
  await buildWorkers();
  for (const [index, worker] of WORKERS.entries()) {
    const deployed = join(folder, String(index));
    const options = ["--env=", "--dry-run", "--outdir", deployed];
    await run(process.execPath, [WRANGLER, "deploy", "-c", worker.config, ...options], {
      cwd: ROOT,
      env: { ...process.env, ...WRANGLER_ENVIRONMENT },
    });
    expect(listModules(worker.folder), worker.folder).toEqual(listModules(deployed));
  }
});

/** The modules by name, without the comment that names a source map. */
function listModules(from: string): [name: string, content: string][] {
  const names = readdirSync(from).filter((name) => /\.(js|wasm|txt|bin)$/.test(name));
  return names
    .sort()
    .map((name) => [name, readFileSync(join(from, name), "latin1").replace(/\/\/# sourceMappingURL=\S+\n/, "")]);
}
