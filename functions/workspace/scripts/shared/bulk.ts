// Several posts changed together, for the queue and its script: by how much they are moved, and what came of it.

export const MOVES = {
  "hour-earlier": "An hour earlier",
  hour: "An hour later",
  "day-earlier": "A day earlier",
  day: "A day later",
  week: "A week later",
} as const;

export type MoveName = keyof typeof MOVES;

/** Days keep the time of the clock. */
export const AMOUNTS: Record<MoveName, { hours: number } | { days: number }> = {
  "hour-earlier": { hours: -1 },
  hour: { hours: 1 },
  "day-earlier": { days: -1 },
  day: { days: 1 },
  week: { days: 7 },
};

/** One sentence for all posts, and why some stay as they are. */
export function describeResult(verb: string, done: number, reasons: readonly string[]): string {
  const changed = `${done} ${done === 1 ? "post is" : "posts are"} ${verb}.`;
  const [reason] = reasons;
  if (reason === undefined) return changed;
  const stays = reasons.length === 1 ? "1 stays as it is" : `${reasons.length} stay as they are`;
  return `${done > 0 ? `${changed} ` : ""}${stays}: ${reason}`;
}

export const NO_TIME = "A post without a time cannot be moved. Give it one first.";
export const NOT_DELETED = "It is out, or it is being published.";
