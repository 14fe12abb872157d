// Publishes one post through the driver, as the publishing code does: step by step, with the waits that a driver asks for.
import { getFailure, type Handle, type Job, type Processing, type Publisher } from "../../../lib/platforms/platform.ts";

export interface Steps {
  log(line: string): void;
  sleep(ms: number): Promise<void>;
  /** The time that the network may take in all. */
  limitMs: number;
}

export interface Outcome {
  postId: string | null;
  url: string | null;
  /** The handle with which the post was sent, for reading it back. */
  handle: Handle;
}

const SHORTEST_WAIT_MS = 250;

/** Throws what the driver throws, and when the network takes too long. */
export async function publishOnce(driver: Publisher, job: Job, steps: Steps): Promise<Outcome> {
  steps.log("== start");
  const started = await driver.start(job);
  steps.log("== poll until ready");
  const ready = await wait(steps, started, (handle) => driver.poll(job, handle));
  const handle = toStored(("handle" in ready ? ready.handle : undefined) ?? ready.last);
  steps.log("== publish");
  const sent = await driver
    .publish(job, handle)
    .catch((error: unknown) => reconcileLost(driver, job, handle, steps, error));
  if (sent.state === "published") return { postId: sent.platformPostId, url: sent.url, handle };
  steps.log("== poll until published");
  const done = await wait(steps, sent.handle, (current) => driver.poll(job, current));
  if (done.state !== "published") throw new Error(`The driver reports "${done.state}" after publishing.`);
  return { postId: done.platformPostId, url: done.url, handle };
}

/** Returns the state of the post that the network itself reports. */
export async function readBack(driver: Publisher, job: Job, handle: Handle, steps: Steps): Promise<string> {
  steps.log("== read back");
  return (await wait(steps, handle, (current) => driver.reconcile(job, current))).state;
}

async function reconcileLost(driver: Publisher, job: Job, handle: Handle, steps: Steps, error: unknown) {
  if (getFailure(error)?.class !== "unanswered") throw error;
  steps.log("The response was lost; the network is asked whether the post is out.");
  const found = await wait(steps, handle, (current) => driver.reconcile(job, current));
  if (found.state === "published") return found;
  throw error;
}

type Step = { state: string; handle?: Handle };

async function wait<Result extends Step>(
  { log, sleep, limitMs }: Steps,
  first: Handle,
  step: (handle: Handle) => Promise<Result | Processing>,
): Promise<Exclude<Result, Processing> & { last: Handle }> {
  let handle = toStored(first);
  for (let waited = 0; ; ) {
    const result = await step(handle);
    if (!isProcessing(result)) return { ...(result as Exclude<Result, Processing>), last: handle };
    handle = toStored(result.handle ?? handle);
    const ms = Math.max(result.afterMs, SHORTEST_WAIT_MS);
    waited += ms;
    if (waited > limitMs)
      throw new Error(`The network has not finished after ${Math.round(limitMs / 60_000)} minutes.`);
    log(`   the network is still working; next look in ${(ms / 1000).toFixed(1)} s`);
    await sleep(ms);
  }
}

function isProcessing(result: Step | Processing): result is Processing {
  return result.state === "processing";
}

/** A handle as it is read from its row. */
function toStored(handle: Handle): Handle {
  return JSON.parse(JSON.stringify(handle)) as Handle;
}
