// The steps of a driver, driven to their end: start, poll, publish.
import { expect } from "vitest";
import {
  type Failure,
  getFailure,
  type Handle,
  type Job,
  type Published,
  type Publisher,
} from "../../lib/platforms/platform.ts";

const POLLING_MS = 20_000;

/** Polls until the state is no longer processing. */
export async function pollUntilDone(
  poll: (handle: Handle) => Promise<{ state: string; handle?: Handle; afterMs?: number }>,
  first: Handle,
  wait: (ms: number) => void = () => {},
) {
  let handle = first;
  for (const until = performance.now() + POLLING_MS; performance.now() < until; ) {
    const answer = await poll(handle);
    if (answer.state !== "processing") return answer;
    handle = answer.handle ?? handle;
    wait(answer.afterMs ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`still processing after ${POLLING_MS} ms`);
}

/** Polls when the driver asks for it, by the job's own clock if it can be advanced. */
export async function startUntilReady(
  driver: Publisher,
  job: Job & { advance?: (ms: number) => void },
): Promise<Handle> {
  let handle = toStored(await driver.start(job));
  const ready = await pollUntilDone(
    (current) => {
      handle = toStored(current);
      return driver.poll(job, handle);
    },
    handle,
    job.advance,
  );
  expect(ready.state).toBe("ready");
  return toStored(ready.handle ?? handle);
}

export async function publishToEnd(
  driver: Publisher,
  job: Job & { advance?: (ms: number) => void },
): Promise<Published> {
  const handle = await startUntilReady(driver, job);
  const sent = await driver.publish(job, handle);
  if (sent.state === "published") return sent;
  return (await pollUntilDone((current) => driver.poll(job, current), toStored(sent.handle))) as Published;
}

/** A handle as read from its row, after a JSON round trip. */
export function toStored(handle: Handle): Handle {
  return JSON.parse(JSON.stringify(handle)) as Handle;
}

/** Returns the failure that a driver call throws; fails the test if there is none. */
export async function expectFailure(work: Promise<unknown>): Promise<Failure> {
  const outcome: unknown = await work.catch((error: unknown) => error);
  const failed = getFailure(outcome);
  if (!failed) throw new Error(`expected a failure, got ${JSON.stringify(outcome) ?? String(outcome)}`);
  return failed;
}
