// A local stack with its Worker in a temporary folder on free ports, for scripts that run beside `npm start`.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "./free-port.ts";
import { formatDotenv, type LocalStack, startLocalStack } from "./stack.ts";
import { startWorker, type Worker } from "./worker.ts";

type Vars = Record<string, string>;

export interface TemporaryStack {
  stack: LocalStack;
  worker: Worker;
  /** The settings of the Worker. */
  vars: Vars;
  /** Changes them from its next start on. */
  setVars(vars: Vars): Promise<void>;
  /** The file of what the Worker printed. */
  workerLog: string;
}

/** Runs a script on such a stack and ends the process: with 0 when it passed, 130 when it was interrupted. */
export async function runOnTemporaryStack(
  name: string,
  log: (line: string) => void,
  script: (context: TemporaryStack) => Promise<"passed" | "failed">,
  /** Settings of the first Worker; the stack's own by default. */
  adjustVars: (vars: Vars) => Vars = (vars) => vars,
): Promise<never> {
  const cleanups: (() => Promise<unknown>)[] = [];
  let interrupted = false;
  const starting = start({ name, log, adjustVars, onCleanup: (cleanup) => void cleanups.push(cleanup) });
  const cleanUp = async () => {
    for (let close = cleanups.pop(); close; close = cleanups.pop()) {
      await close().catch((error) => console.error("Cleanup failed:", error));
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, async () => {
      interrupted = true;
      // A server that is still starting cannot be closed.
      await starting.catch(() => undefined);
      await cleanUp();
      process.exit(130);
    });
  }
  let result: "passed" | "failed" = "failed";
  try {
    result = await script(await starting);
  } catch (error) {
    // After an interrupt, the script fails because its servers close.
    if (interrupted) return await new Promise<never>(() => undefined);
    console.error(error);
  }
  await cleanUp();
  process.exit(result === "passed" ? 0 : 1);
}

interface StartOptions {
  name: string;
  log: (line: string) => void;
  adjustVars: (vars: Vars) => Vars;
  onCleanup: (cleanup: () => Promise<unknown>) => void;
}

async function start({ name, log, adjustVars, onCleanup }: StartOptions): Promise<TemporaryStack> {
  const folder = await mkdtemp(join(tmpdir(), `partner-api-${name}-`));
  onCleanup(() => rm(folder, { recursive: true, force: true }));
  const stack = await startLocalStack({ folder: join(folder, "stack"), fresh: true, log });
  onCleanup(() => stack.close());
  const port = await findFreePort();
  const varsFile = join(folder, "worker.env");
  const vars = adjustVars({ ...stack.vars, PUBLIC_URL: `http://127.0.0.1:${port}` });
  const setVars = (changed: Vars) => writeFile(varsFile, formatDotenv(changed), { mode: 0o600 });
  await setVars(vars);
  log("worker");
  const worker = await startWorker({ port, folder, varsFile });
  onCleanup(() => worker.close());
  return { stack, worker, vars, setVars, workerLog: join(folder, "worker.log") };
}
