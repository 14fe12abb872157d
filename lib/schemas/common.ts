// Shared schema parts: ids, instants and URLs.
import * as z from "zod";

/** Normalized to lower case, so that ids compare equal regardless of case. */
export const Id = z.uuid().toLowerCase();

/** An instant in a response: UTC with milliseconds and `Z`. Accepts the formats of the database. */
export const Instant = z.preprocess(
  (value) => {
    if (value instanceof Date) return value.toISOString();
    return typeof value === "string" ? new Date(value).toISOString() : value;
  },
  z.iso.datetime({ precision: 3 }),
);

const ISO_8601 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;

/** Supported years; excludes the ends of the Date range, because deadlines are added to instants. */
const [MIN_TIME, MAX_TIME] = [Date.UTC(1970), Date.UTC(9001) - 1];

/** Parses ISO 8601 with an offset; null when invalid. Seconds are optional, digits after milliseconds are dropped. */
export function parseInstant(text: string): Date | null {
  const instant = parseIso8601(text);
  return instant && instant.getTime() >= MIN_TIME && instant.getTime() <= MAX_TIME ? instant : null;
}

/** Restores the `+` of an offset that was not escaped as %2B in a query string and was decoded as a space. */
export function restorePlus(text: string): string {
  return text.replace(/ (?=\d{2}:?\d{2}$)/, "+");
}

/** Parses a list bound; an instant outside the supported years is clamped to them. */
function parseBound(text: string): Date | null {
  const instant = parseIso8601(restorePlus(text));
  return instant && new Date(Math.min(MAX_TIME, Math.max(MIN_TIME, instant.getTime())));
}

function parseIso8601(text: string): Date | null {
  const parts = ISO_8601.exec(text);
  if (!parts) return null;
  const [, minutes = "", seconds = ":00", offset = ""] = parts;
  const zone = /^[+-]\d{4}$/.test(offset) ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const instant = new Date(`${minutes}${seconds.replace(/(\.\d{3})\d+$/, "$1")}${zone}`.toUpperCase());
  // Date rolls 31 February over to March, so days beyond the end of the month are rejected here.
  const part = (from: number, to: number) => Number(minutes.slice(from, to));
  const real = !Number.isNaN(instant.getTime()) && part(8, 10) <= daysIn(part(0, 4), part(5, 7));
  return real ? instant : null;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function instantSchema(from: (text: string) => Date | null) {
  return z
    .string()
    .max(64)
    .meta({ format: "date-time" })
    .transform((text, context) => {
      const instant = from(text);
      if (instant) return instant;
      const message = ISO_8601.test(text)
        ? "Must be an existing date and time, from 1970 to 9000."
        : "Must be ISO 8601 with an offset, such as 2026-11-20T18:00:00Z or 2026-11-20T20:00+02:00.";
      context.addIssue({ code: "custom", message, params: { code: "invalid_instant" } });
      return z.NEVER;
    });
}

/** An instant in a request: ISO 8601 with an offset. */
export const InstantInput = instantSchema(parseInstant);

/** An instant that bounds a list. */
export const BoundInput = instantSchema(parseBound);

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
