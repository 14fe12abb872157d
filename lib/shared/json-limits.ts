// Limits of a JSON value that are checked before any schema runs, and text that Postgres cannot store.

import type { FieldError } from "./errors.ts";
import type { SchemaCode } from "./field-codes.ts";

export interface JsonLimits {
  /** Objects, arrays and values together. */
  maxValues: number;
  maxItemsPerList: number;
}

const MAX_DEPTH = 32;
const MAX_KEYS_PER_OBJECT = 200;
const MAX_ERRORS = 100;
/** A field name of the caller that is longer is not quoted in full. */
const MAX_QUOTED_KEY = 100;

const NO_LIMITS: JsonLimits = { maxValues: Number.POSITIVE_INFINITY, maxItemsPerList: Number.POSITIVE_INFINITY };

/**
 * The first 100 problems of a value: NUL and lone surrogates, more than 32 levels, and whatever exceeds the limits. A value
 * with too many parts has that one problem, and is not walked further.
 */
export function findJsonErrors(value: unknown, limits: JsonLimits = NO_LIMITS): FieldError[] {
  const errors: FieldError[] = [];
  let values = 0;

  function walk(node: unknown, path: string, depth: number): void {
    values += 1;
    if (errors.length >= MAX_ERRORS || values > limits.maxValues) return;
    if (typeof node === "string" && isMalformed(node)) errors.push({ path, ...MALFORMED_TEXT });
    if (typeof node !== "object" || node === null) return;
    const error = findContainerError(node, depth, limits);
    if (error) errors.push({ path, ...error });
    else if (Array.isArray(node))
      for (const [at, item] of node.entries()) walk(item, join(path, String(at)), depth + 1);
    else for (const key of Object.keys(node)) walkField(node as Record<string, unknown>, key, path, depth);
  }

  function walkField(node: Record<string, unknown>, key: string, path: string, depth: number): void {
    if (isMalformed(key)) errors.push({ path, ...MALFORMED_TEXT });
    else walk(node[key], join(path, key.slice(0, MAX_QUOTED_KEY)), depth + 1);
  }

  walk(value, "", 0);
  if (values <= limits.maxValues) return errors;
  return [{ path: "", ...tooManyValues(limits.maxValues) }];
}

/** Parsing is expensive beyond these; below them the error names the path. */
const MAX_PARSED_DEPTH = 1_000;
const MIN_PARSED_VALUES = 20_000;

/** A longer text is parsed only up to its first list that has too many items: nothing after that makes it valid. */
const MAX_WHOLE_BYTES = 64 * 1024;

/**
 * Returns what is parsed of a JSON text, or what makes it too expensive to parse: its levels, or more commas than the limits
 * allow values. In UTF-8, bytes of other characters are never ASCII.
 */
export function limitJson(bytes: Uint8Array, limits: JsonLimits): { error: FieldError } | { bytes: Uint8Array } {
  const maxCommas = Math.max(limits.maxValues, MIN_PARSED_VALUES);
  const maxItems = bytes.length > MAX_WHOLE_BYTES ? limits.maxItemsPerList : Number.POSITIVE_INFINITY;
  /** The closing bracket of each open object and list, and the number of commas before its innermost part. */
  const [ends, outerCommas]: [number[], number[]] = [[], []];
  let [commas, ownCommas] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = findStringEnd(bytes, at + 1);
    else if (byte === COMMA) {
      commas += 1;
      ownCommas += 1;
      if (commas > maxCommas) return { error: { path: "", ...tooManyValues(limits.maxValues) } };
      if (ownCommas > maxItems && ends.at(-1) === CLOSE_BRACKET) {
        return { bytes: Buffer.concat([bytes.subarray(0, at), Uint8Array.from(ends.toReversed())]) };
      }
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      ends.push(byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET);
      if (ends.length > MAX_PARSED_DEPTH) return { error: { path: "", ...NESTED_TOO_DEEP } };
      outerCommas.push(ownCommas);
      ownCommas = 0;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      ends.pop();
      ownCommas = outerCommas.pop() ?? 0;
    }
  }
  return { bytes };
}

/** `indexOf` is ten times as fast as a loop in a long string, but slower in a short one. */
const MIN_SEARCHED_BYTES = 64;

/** The offset of the quote that ends a string, or the length of the text. */
function findStringEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    for (const near = Math.min(at + MIN_SEARCHED_BYTES, bytes.length); at < near; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) break;
    let backslashes = 0;
    while (quote - backslashes > at && bytes[quote - backslashes - 1] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
  return bytes.length;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

const NESTED_TOO_DEEP = {
  message: `Must be nested at most ${MAX_DEPTH} levels deep.`,
  code: "nested_too_deep",
} as const;
const tooManyValues = (limit: number) =>
  ({ message: `Must have at most ${limit} values in total.`, code: "too_many_values" }) as const;

function findContainerError(
  node: object,
  depth: number,
  limits: JsonLimits,
): { message: string; code: SchemaCode } | null {
  if (depth >= MAX_DEPTH) return NESTED_TOO_DEEP;
  if (Array.isArray(node)) {
    const tooLong = node.length > limits.maxItemsPerList;
    return tooLong ? { message: `Must have at most ${limits.maxItemsPerList} items.`, code: "too_big" } : null;
  }
  const tooWide = limits !== NO_LIMITS && Object.keys(node).length > MAX_KEYS_PER_OBJECT;
  return tooWide ? { message: `Must have at most ${MAX_KEYS_PER_OBJECT} fields.`, code: "too_many_fields" } : null;
}

const join = (path: string, key: string) => (path ? `${path}.${key}` : key);

const MALFORMED_TEXT = { message: "Must be well-formed Unicode without NUL.", code: "malformed_text" } as const;

function isMalformed(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}
