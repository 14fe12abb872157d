// Formats errors for the user of a command.

/** The messages of an error and of its causes, without those that only quote the failed statement. */
export function formatCommandError(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error; current = getCause(current)) {
    const wraps =
      ("query" in current && "params" in current) || ("sourceError" in current && current.sourceError !== undefined);
    // The rest of an ApiError's message is advice for API callers.
    const message = "extra" in current ? current.message.split(". ")[0] : current.message;
    if (!wraps && message) messages.push(message);
  }
  return messages.length > 0 ? messages.join(": ") : String(error);
}

function getCause(error: Error & { sourceError?: unknown }): unknown {
  return error.sourceError ?? error.cause;
}
