// Background retries without their pauses, for requests whose backing services stay broken.
import { backgroundRetries } from "../../lib/shared/retry.ts";

export async function withFastRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  const { delaysMs } = backgroundRetries;
  backgroundRetries.delaysMs = delaysMs.map(() => 1);
  try {
    return await work();
  } finally {
    backgroundRetries.delaysMs = delaysMs;
  }
}
