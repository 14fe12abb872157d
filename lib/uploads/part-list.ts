// Checks the list of parts that completes an upload; each error message names the parts.
import type { CompletedPart } from "../schemas/file.ts";
import { sha256Hex } from "../shared/crypto.ts";

/** Independent of the order: lists with the same hash assemble the same file. */
export function hashPartList(parts: readonly CompletedPart[]): string {
  const sorted = parts.toSorted((a, b) => a.partNumber - b.partNumber);
  return sha256Hex(sorted.map(({ partNumber, etag }) => `${partNumber} ${etag}`).join("\n"));
}

/** A message for unknown, duplicate or missing parts; null when the list is complete. */
export function findPartListFault(parts: readonly CompletedPart[], partCount: number): string | null {
  const numbers = parts.map(({ partNumber }) => partNumber);
  const unknownParts = findUnknownParts(numbers, partCount);
  if (unknownParts) return unknownParts;
  const listed = new Set<number>();
  const duplicates = numbers.filter((number) => listed.size === listed.add(number).size);
  if (duplicates.length > 0)
    return `${capitalize(formatPartNumbers(duplicates))} ${isOrAre(duplicates)} listed more than once; list every part once.`;
  const missing = Array.from({ length: partCount }, (_, at) => at + 1).filter((number) => !listed.has(number));
  if (missing.length === 0) return null;
  return `${capitalize(formatPartNumbers(missing))} ${isOrAre(missing)} missing; list all of the ${partCount} parts.`;
}

export function findUnknownParts(numbers: readonly number[], partCount: number): string | null {
  const unknownNumbers = numbers.filter((number) => number > partCount);
  if (unknownNumbers.length === 0) return null;
  const validRange = partCount === 1 ? "only part 1" : `parts 1 to ${partCount}`;
  return `The upload has ${validRange}, not ${formatPartNumbers(unknownNumbers)}.`;
}

/** A message for parts that storage rejected: not arrived, or arrived with another etag. */
export function explainRejectedParts(parts: readonly CompletedPart[], arrived: Map<number, string> | null): string {
  const notArrived = arrived ? selectPartNumbers(parts, ({ partNumber }) => !arrived.has(partNumber)) : [];
  if (notArrived.length > 0)
    return `${capitalize(formatPartNumbers(notArrived))} ${hasOrHave(notArrived)} not been uploaded; PUT the bytes, then send the list again.`;
  const mismatched = selectPartNumbers(parts, ({ partNumber, etag }) => arrived?.get(partNumber) !== etag);
  const named =
    arrived && mismatched.length > 0
      ? formatPartNumbers(mismatched)
      : `one or more of ${formatPartNumbers(selectPartNumbers(parts, () => true))}`;
  return `The etag of ${named} does not match the uploaded bytes; send the ETag header of each part's latest PUT.`;
}

function selectPartNumbers(parts: readonly CompletedPart[], wanted: (part: CompletedPart) => boolean): number[] {
  return parts.filter(wanted).map(({ partNumber }) => partNumber);
}

const MAX_NAMED_RANGES = 10;

/** `part 2`, `parts 2, 4-6`. */
function formatPartNumbers(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  const ranges = runs.slice(0, MAX_NAMED_RANGES).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  const more = runs.length > MAX_NAMED_RANGES ? " and more" : "";
  return `${isPlural(numbers) ? "parts" : "part"} ${ranges.join(", ")}${more}`;
}

function isPlural(numbers: readonly number[]): boolean {
  return new Set(numbers).size > 1;
}

const isOrAre = (numbers: readonly number[]) => (isPlural(numbers) ? "are" : "is");
const hasOrHave = (numbers: readonly number[]) => (isPlural(numbers) ? "have" : "has");
const capitalize = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
