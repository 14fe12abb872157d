// Numbers that a network may refuse one by one: because it retired a metric, or because a permission is missing.
import { type Failure, getFailure } from "../../platforms/platform.ts";
import type { Metric, MissingNumber, MissingNumbers } from "../../shared/metrics.ts";

/** A part of a request that can be left out, and the numbers that come from it. */
export interface OptionalPart {
  name: string;
  metrics: readonly Metric[];
  /** Without it the network refuses this part. */
  permission: string;
}

/** The parts that a network refused, by name. */
export type RefusedParts = Readonly<Record<string, MissingNumber>>;

/**
 * Sends a request with all parts. When it is refused, each part is tried alone, and the request is sent without those that
 * are refused, so that none of them costs the others.
 */
export async function fetchWithParts<Part extends OptionalPart, Result>(
  parts: readonly Part[],
  before: RefusedParts,
  send: (parts: readonly Part[]) => Promise<Result>,
): Promise<{ result: Result; refused: RefusedParts }> {
  const wanted = parts.filter(({ name }) => !(name in before));
  try {
    return { result: await send(wanted), refused: before };
  } catch (error) {
    if (wanted.length === 0 || !isRefusal(getFailure(error))) throw error;
  }
  const refused: Record<string, MissingNumber> = { ...before };
  for (const part of wanted) {
    const reason = await findRefusal(() => send([part]));
    if (reason) refused[part.name] = toMissingNumber(part, reason);
  }
  return { result: await send(wanted.filter(({ name }) => !(name in refused))), refused };
}

async function findRefusal(send: () => Promise<unknown>): Promise<Failure | null> {
  try {
    await send();
    return null;
  } catch (error) {
    const found = getFailure(error);
    if (found && isRefusal(found)) return found;
    throw error;
  }
}

/** Errors that end or pause the whole refresh are none. */
export function isRefusal(found: Failure | null): boolean {
  return found?.class === "content" || found?.class === "account";
}

function toMissingNumber({ permission }: OptionalPart, { class: kind }: Failure): MissingNumber {
  return kind === "account" ? { coverage: "permission_missing", permission } : { coverage: "refused" };
}

/** A number is missing when each part that it comes from is refused. */
export function listMissing(parts: readonly OptionalPart[], refused: RefusedParts): MissingNumbers {
  const missing: MissingNumbers = {};
  for (const metric of new Set(parts.flatMap(({ metrics }) => metrics))) {
    const sources = parts.filter(({ metrics }) => metrics.includes(metric)).map(({ name }) => refused[name]);
    const [reason] = sources;
    if (reason && sources.every((source) => source !== undefined)) missing[metric] = reason;
  }
  return missing;
}

/** Stands for the next page, and for what need not be tried again there. */
interface PartsCursor {
  after: string | null;
  refused: RefusedParts;
}

export function parsePartsCursor(cursor: string | null): PartsCursor {
  return cursor === null ? { after: null, refused: {} } : JSON.parse(cursor);
}

export const formatPartsCursor = (next: PartsCursor): string => JSON.stringify(next);

/** The sum of the numbers that are known; null when none is. */
export function addCounts(...counts: (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length > 0 ? known.reduce((sum, count) => sum + count, 0) : null;
}
