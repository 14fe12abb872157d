// Lists that are read by several requests, of which some may be rejected.
import { getFailure } from "./platform.ts";

/** Returns what could be read. Throws the first failure when nothing could, and any error that is no network's failure. */
export async function keepFulfilled<Value>(reads: readonly Promise<Value>[]): Promise<Value[]> {
  const outcomes = await Promise.allSettled(reads);
  const values = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  const bug = errors.find((error) => !getFailure(error));
  if (bug || (values.length === 0 && errors.length > 0)) throw bug ?? errors[0];
  return values;
}
