// Shared schema parts: ids, instants and URLs.
import * as z from "zod";
import { EXAMPLE_INSTANT, parseInstant, type ReadInstant } from "../shared/instant.ts";

/** A UUID of any version, as in paths, normalized to lower case, so that ids compare equal regardless of case. */
export const Id = z.guid().toLowerCase();

/** An instant in a response: UTC with milliseconds and `Z`. Accepts the formats of the database. */
export const Instant = z.preprocess(
  (value) => {
    if (value instanceof Date) return value.toISOString();
    return typeof value === "string" ? new Date(value).toISOString() : value;
  },
  z.iso.datetime({ precision: 3 }),
);

/** Supported years; excludes the ends of the Date range, because deadlines are added to instants. */
const [MIN_TIME, MAX_TIME] = [Date.UTC(1970), Date.UTC(9001) - 1];

/** Longest accepted text: nine digits of a second and the longest name of a time zone. */
const MAX_INSTANT_LENGTH = 80;

/** Restores the `+` of an offset that was not escaped as %2B in a query string and was decoded as a space. */
export function restorePlus(text: string): string {
  return text.replace(/ (?=\d{2}:?\d{2}(\[|$))/, "+");
}

/** Parses an instant of a request. */
export function readInstant(text: string): ReadInstant {
  const read = parseInstant(text);
  if ("problem" in read) return read;
  const isSupported = read.at.getTime() >= MIN_TIME && read.at.getTime() <= MAX_TIME;
  return isSupported ? read : { problem: `Must be from 1970 to 9000, such as ${EXAMPLE_INSTANT}.` };
}

/** Parses a list bound; an instant outside the supported years is clamped to them. */
function readBound(text: string): ReadInstant {
  const read = parseInstant(restorePlus(text));
  if ("problem" in read) return read;
  return { at: new Date(Math.min(MAX_TIME, Math.max(MIN_TIME, read.at.getTime()))) };
}

/** `message` answers what is no text. */
export function instantSchema(read: (text: string) => ReadInstant, message?: string) {
  return z
    .string(message)
    .max(MAX_INSTANT_LENGTH)
    .meta({ format: "date-time" })
    .transform((text, context) => {
      const instant = read(text);
      if ("at" in instant) return instant.at;
      context.addIssue({ code: "custom", message: instant.problem, params: { code: "invalid_instant" } });
      return z.NEVER;
    });
}

/** An instant in a request: ISO 8601 with an offset, or RFC 9557. */
export const InstantInput = instantSchema(readInstant);

/** An instant that bounds a list. */
export const BoundInput = instantSchema(readBound);

function webUrlSchema(message: string) {
  const error = ({ input }: { input?: unknown }) => (input === undefined ? `Required. ${message}` : message);
  return z.url({ protocol: /^https?$/, error }).max(2048, "Must be at most 2,048 characters.");
}

/** An http or https URL of at most 2,048 characters. */
export const WebUrl = webUrlSchema("Must be an http or https URL.");

/** A `WebUrl`, or null for none. */
export const WebUrlOrNull = webUrlSchema("Must be an http or https URL, or null for none.").nullable();

/** An integer in a query string, where values are text. */
export function wholeNumber(least: number, most: number) {
  const message = `Must be a whole number from ${least} to ${most}.`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
    .meta({ type: "integer", minimum: least, maximum: most });
}

/** A name that is not blank; its length counts code points, as in JSON Schema. */
export function nameSchema(maxLength: number) {
  return z
    .string()
    .trim()
    .normalize("NFC")
    .min(1, "Must not be blank.")
    .refine((name) => [...name].length <= maxLength, `Must be at most ${maxLength} characters.`)
    .meta({ maxLength });
}

/** Rejects two aliases of one field with different values. `normalize` makes values of different types comparable. */
export function rejectContradiction(
  name: string,
  other: string,
  normalize: (value: unknown) => unknown = (value) => value,
) {
  return (given: { [name: string]: unknown }, context: z.RefinementCtx): void => {
    const [value, same] = [given[name], given[other]];
    if (value === undefined || same === undefined || normalize(value) === normalize(same)) return;
    const message = `Is an alias of ${name}, but has a different value. Send only one of them.`;
    context.addIssue({ code: "custom", path: [other], message, params: { code: "contradiction" } });
  };
}

/** Part of a name to search for, in a query string. */
export const SearchText = z
  .string()
  .max(200)
  .normalize("NFC")
  .refine((text) => !text.includes("\0"), "Must not contain NUL.");
