// Fails a test file that leaves changed globals behind: the files of a worker share its globals and modules.
// `database.ts` sets the function of the driver, which a file that imports it later would seem to change.
import { neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, expect, vi } from "vitest";
import "../../lib/services/database.ts";

const { fetchEndpoint, fetchFunction } = neonConfig;
const original = readGlobals();

/** Globals that fake timers and stubs of tests replace. */
function readGlobals() {
  return {
    Date: globalThis.Date,
    fetch: globalThis.fetch,
    setInterval: globalThis.setInterval,
    setTimeout: globalThis.setTimeout,
  };
}

let environment: NodeJS.ProcessEnv;

beforeAll(() => {
  environment = { ...process.env };
});

afterAll(() => {
  const left = {
    globals: readGlobals(),
    driver: { fetchEndpoint: neonConfig.fetchEndpoint, fetchFunction: neonConfig.fetchFunction },
    environment: { ...process.env },
  };
  // Restored, so that only the file that changed them fails.
  vi.useRealTimers();
  Object.assign(globalThis, original);
  Object.assign(neonConfig, { fetchEndpoint, fetchFunction });
  expect(left, "what the file changed").toEqual({
    globals: original,
    driver: { fetchEndpoint, fetchFunction },
    environment,
  });
});
