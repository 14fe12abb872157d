// The simulator Worker as tests bind it: in process, on the database of the tests.
import { inject } from "vitest";

/** A request that reached the simulator. */
export interface SimulatorCall {
  url: string;
  scope: string | null;
  /** The time of the scope's clock. */
  now: string | null;
}

export function createSimulator(calls: SimulatorCall[] = []) {
  const {
    DATABASE_URL = "",
    DATABASE_FETCH_URL = "",
    CDN_URL = "",
  } = {
    ...inject("vars"),
    ...globalThis.workerDatabase,
  };
  return {
    async fetch(input: Request): Promise<Response> {
      const { url, headers } = input;
      calls.push({ url, scope: headers.get("x-sandbox-scope"), now: headers.get("x-sandbox-now") });
      const { default: worker } = await import("../../functions/simulator/worker.ts");
      return worker.fetch(input, { DATABASE_URL, DATABASE_FETCH_URL, CDN_URL });
    },
  };
}
