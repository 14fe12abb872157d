// What can be wrong with the list of parts that ends an upload, each in a sentence that names the part.
import type { CompletedPart } from "../schemas/file.ts";
import { sha256Hex } from "../secrets.ts";

/** Two lists with the same one put the same file together, whatever their order. */
export function listHash(parts: readonly CompletedPart[]): string {
  const inOrder = parts.toSorted((a, b) => a.partNumber - b.partNumber);
  return sha256Hex(inOrder.map(({ partNumber, etag }) => `${partNumber} ${etag}`).join("\n"));
}

/** What the list itself shows: a part that the upload does not have, one that comes twice, one that is missing. */
export function faultIn(parts: readonly CompletedPart[], partCount: number): string | null {
  const numbers = parts.map(({ partNumber }) => partNumber);
  const foreign = foreignIn(numbers, partCount);
  if (foreign) return foreign;
  const listed = new Set<number>();
  const twice = numbers.filter((number) => listed.size === listed.add(number).size);
  if (twice.length > 0) return `${capital(named(twice))} ${are(twice)} listed more than once; list every part once.`;
  const missing = Array.from({ length: partCount }, (_, at) => at + 1).filter((number) => !listed.has(number));
  if (missing.length === 0) return null;
  return `${capital(named(missing))} ${are(missing)} missing; list all of the ${partCount} parts.`;
}

export function foreignIn(numbers: readonly number[], partCount: number): string | null {
  const foreign = numbers.filter((number) => number > partCount);
  if (foreign.length === 0) return null;
  const own = partCount === 1 ? "only part 1" : `parts 1 to ${partCount}`;
  return `The upload has ${own}, not ${named(foreign)}.`;
}

/** What only the bucket knows: which part has not arrived, and which one arrived with another etag than the list says. */
export function refusedParts(parts: readonly CompletedPart[], arrived: Map<number, string> | null): string {
  const absent = arrived ? numbersOf(parts, ({ partNumber }) => !arrived.has(partNumber)) : [];
  if (absent.length > 0)
    return `${capital(named(absent))} ${has(absent)} not arrived; PUT the bytes and list it again.`;
  const other = numbersOf(parts, ({ partNumber, etag }) => arrived?.get(partNumber) !== etag);
  const which = arrived && other.length > 0 ? named(other) : `one or more of ${named(numbersOf(parts, () => true))}`;
  return `The etag of ${which} is not the one of what has arrived; send the ETag header of each part's latest PUT.`;
}

function numbersOf(parts: readonly CompletedPart[], wanted: (part: CompletedPart) => boolean): number[] {
  return parts.filter(wanted).map(({ partNumber }) => partNumber);
}

const NAMED_AT_MOST = 10;

/** `part 2`, `parts 2, 4-6`. */
function named(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  const told = runs.slice(0, NAMED_AT_MOST).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  const more = runs.length > NAMED_AT_MOST ? " and more" : "";
  return `${several(numbers) ? "parts" : "part"} ${told.join(", ")}${more}`;
}

function several(numbers: readonly number[]): boolean {
  return new Set(numbers).size > 1;
}

const are = (numbers: readonly number[]) => (several(numbers) ? "are" : "is");
const has = (numbers: readonly number[]) => (several(numbers) ? "have" : "has");
const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
