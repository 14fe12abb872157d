// Numbers that a network may refuse one by one: because it retired a metric, or because a permission is missing.
import pLimit from "p-limit";
import { pick, pickList, pickString } from "../../platforms/http.ts";
import { type Failure, getFailure } from "../../platforms/platform.ts";
import type { Metric, MissingNumber, MissingNumbers } from "../../shared/metrics.ts";
import { parseCount } from "./reader-contract.ts";

/** A part of a request that can be left out, and the numbers that come from it. */
export interface OptionalPart {
  name: string;
  metrics: readonly Metric[];
  /** Without it the network refuses this part. */
  permission: string;
}

/** Parts with one number each, by the name that the network has for it. */
export const toParts = (permission: string, names: Readonly<Record<string, Metric>>): readonly OptionalPart[] =>
  Object.entries(names).map(([name, metric]) => ({ name, metrics: [metric], permission }));

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

/** Concurrent requests for the numbers of single posts. */
const CONCURRENCY = 5;

/**
 * The numbers of posts that are asked for one by one. The first shows what the network refuses; then the others are asked for
 * the rest. Null where it refuses the request for one of them, which costs the others nothing.
 */
export async function fetchPartsOfEach<Part extends OptionalPart, Post, Result>(
  parts: readonly Part[],
  before: RefusedParts,
  [first, ...others]: readonly Post[],
  send: (post: Post, parts: readonly Part[]) => Promise<Result>,
): Promise<{ results: (Result | null)[]; refused: RefusedParts }> {
  if (first === undefined) return { results: [], refused: before };
  const { result, refused } = await fetchWithParts(parts, before, (wanted) => send(first, wanted));
  const left = parts.filter(({ name }) => !(name in refused));
  const rest = await pLimit(CONCURRENCY).map(others, async (post) => {
    try {
      return await send(post, left);
    } catch (error) {
      if (isRefusal(getFailure(error))) return null;
      throw error;
    }
  });
  return { results: [result, ...rest], refused };
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

/** A number of Meta's insights, in either of the forms that its networks give. */
export function readInsight(insights: unknown, name: string): number | null {
  const found = pickList(insights, "data").find((one) => pickString(one, "name") === name);
  const [first] = pickList(found, "values");
  return parseCount(pick(first, "value") ?? pick(found, "total_value", "value"));
}

/** The cursor of Meta's next page; the last page has cursors too, and no link. */
export const readNextCursor = (body: unknown): string | null =>
  pickString(body, "paging", "next") ? pickString(body, "paging", "cursors", "after") : null;

/** The sum of the numbers that are known; null when none is. */
export function addCounts(...counts: (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length > 0 ? known.reduce((sum, count) => sum + count, 0) : null;
}
