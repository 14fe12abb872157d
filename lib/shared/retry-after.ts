// The header of a server that is busy, of a network or of the receiver of a webhook.

/** The time in Retry-After, which has seconds or a date; undefined without one. */
export function parseRetryAfter(headers: Headers, now: Date): Date | undefined {
  const after = headers.get("retry-after");
  if (!after) return undefined;
  const seconds = Number(after);
  const at = Number.isFinite(seconds) ? new Date(now.getTime() + seconds * 1000) : new Date(after);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
