/** The environment of `wrangler dev`. */
export const WRANGLER_ENVIRONMENT = {
  WRANGLER_SEND_METRICS: "false",
  // wrangler 4.164 keeps a trace of every request, which takes longer than most requests and fills the disk.
  X_LOCAL_OBSERVABILITY: "false",
  CI: "1",
};
