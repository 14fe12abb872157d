// The pauses of retries and polls a hundred times shorter, where a test is not about how long they are.
import { pauses } from "../../lib/shared/retry.ts";

let running = 0;

export async function withFastPauses<Result>(work: () => Promise<Result>): Promise<Result> {
  running += 1;
  pauses.divisor = 100;
  try {
    return await work();
  } finally {
    running -= 1;
    if (running === 0) pauses.divisor = 1;
  }
}
