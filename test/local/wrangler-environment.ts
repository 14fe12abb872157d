/** The environment of every wrangler that tests and benchmarks start. */
export const WRANGLER_ENVIRONMENT = {
  WRANGLER_SEND_METRICS: "false",
  // In `wrangler dev`, 4.164 stores a trace of every request and deletes none. Measured 2026-11-26: 2.9 KB and 0.7 ms each.
  X_LOCAL_OBSERVABILITY: "false",
  CI: "1",
};
