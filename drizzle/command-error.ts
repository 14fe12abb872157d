// Why a command failed, for whoever typed it.

/** The messages of an error and of its causes, without those that only name the statement that was tried. */
export function commandError(error: unknown): string {
  const told: string[] = [];
  for (let seen = error; seen instanceof Error; seen = causeOf(seen)) {
    const wraps = ("query" in seen && "params" in seen) || ("sourceError" in seen && seen.sourceError !== undefined);
    // A refusal goes on with advice to callers of the API.
    const message = "extra" in seen ? seen.message.split(". ")[0] : seen.message;
    if (!wraps && message) told.push(message);
  }
  return told.length > 0 ? told.join(": ") : String(error);
}

function causeOf(error: Error & { sourceError?: unknown }): unknown {
  return error.sourceError ?? error.cause;
}
