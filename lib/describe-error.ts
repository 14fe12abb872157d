// Errors for the log: where and why, without the values that a failed statement carried.

/** The stack of an error and of its causes. Parameters of a query hold captions, URLs and tokens, and stay out. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const own = [headOf(error), ...framesOf(error)].join("\n");
  return cause === undefined ? own : `${own}\ncaused by ${describeError(cause)}`;
}

function headOf(error: Error & { query?: unknown; code?: unknown }): string {
  if ("query" in error && "params" in error) return `${error.name}: a statement failed: ${String(error.query)}`;
  // Postgres quotes the value that it could not take; class 22 is about values, the others quote names.
  const quotesValue = typeof error.code === "string" && error.code.startsWith("22");
  return `${error.name}: ${quotesValue ? error.message.replace(/".*/s, "(a value)") : error.message}`;
}

function framesOf({ stack }: Error): string[] {
  return (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
}
