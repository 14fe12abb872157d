// Formats errors for the log, without the values that a failed statement carried.

/** The stack of an error and of its causes. Query parameters are left out: they hold captions, URLs and tokens. */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const own = [formatHead(error), ...getStackFrames(error)].join("\n");
  return cause === undefined ? own : `${own}\ncaused by ${formatError(cause)}`;
}

/** One line with an error and its causes, for a failure whose reason is known: its stack tells nothing. */
export function summarizeError(error: unknown): string {
  const head = error instanceof Error ? formatHead(error) : String(error);
  const [line = ""] = head.split("\n", 1);
  return error instanceof Error && error.cause !== undefined
    ? `${line}, caused by ${summarizeError(error.cause)}`
    : line;
}

function formatHead(error: Error & { query?: unknown; code?: unknown }): string {
  if ("query" in error && "params" in error) return `${error.name}: a statement failed: ${String(error.query)}`;
  // Messages of class 22 (data exceptions) quote the offending value; other classes quote names only.
  const quotesValue = typeof error.code === "string" && error.code.startsWith("22");
  return `${error.name}: ${quotesValue ? error.message.replace(/".*/s, "(a value)") : error.message}`;
}

function getStackFrames({ stack }: Error): string[] {
  return (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
}
