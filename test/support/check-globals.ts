// Fails a test file that leaves changed globals behind: the files of a worker share its globals and modules.
import { neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, expect, vi } from "vitest";
// Sets the database driver's global function, which a file that imports it later would seem to change.
import "../../lib/services/database.ts";

const { fetchEndpoint, fetchFunction } = neonConfig;
const { Date: RealDate, fetch, setInterval, setTimeout } = globalThis;
const original = { Date: RealDate, fetch, setInterval, setTimeout };
let environment: NodeJS.ProcessEnv;

beforeAll(() => {
  environment = { ...process.env };
});

afterAll(() => {
  const { Date, fetch, setInterval, setTimeout } = globalThis;
  const left = {
    globals: { Date, fetch, setInterval, setTimeout },
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
