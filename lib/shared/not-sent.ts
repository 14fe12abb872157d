// The error of a request that was never sent: whatever it would have done has not happened.

const NAME = "NotSentError";

export function notSent(message: string): Error {
  return Object.assign(new Error(message), { name: NAME });
}

export function isNotSent(error: unknown): boolean {
  return error instanceof Error && error.name === NAME;
}
