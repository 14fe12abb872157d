// Building blocks of requests and answers: ids, instants, paging.
import * as z from "zod";

/** However a caller spells it, answers and comparisons have it in small letters. */
export const Id = z.uuid().toLowerCase();

/** An instant in an answer: UTC, milliseconds, `Z`. Takes what the database gives. */
export const Instant = z.preprocess(
  (value) => (value instanceof Date || typeof value === "string" ? new Date(value).toISOString() : value),
  z.iso.datetime({ precision: 3 }),
);

const ISO_8601 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;

/** Years in which something may happen here; the rim of the calendar is left out, since deadlines are counted on from them. */
const [FIRST, LAST] = [Date.UTC(1970), Date.UTC(9001) - 1];

/** The instant that an ISO 8601 text with an offset names, or null. Seconds are optional, digits past milliseconds dropped. */
export function instantFrom(text: string): Date | null {
  const instant = read(text);
  return instant && instant.getTime() >= FIRST && instant.getTime() <= LAST ? instant : null;
}

/** The `+` of an offset that was not written as %2B in a URL, where it stands for a space. */
export function withPlus(text: string): string {
  return text.replace(/ (?=\d{2}:?\d{2}$)/, "+");
}

/** As a bound of a search, any instant will do: one outside those years is moved to the nearest of them. */
function boundFrom(text: string): Date | null {
  const instant = read(withPlus(text));
  return instant && new Date(Math.min(LAST, Math.max(FIRST, instant.getTime())));
}

function read(text: string): Date | null {
  const parts = ISO_8601.exec(text);
  if (!parts) return null;
  const [, minutes = "", seconds = ":00", offset = ""] = parts;
  const zone = /^[+-]\d{4}$/.test(offset) ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const instant = new Date(`${minutes}${seconds.replace(/(\.\d{3})\d+$/, "$1")}${zone}`.toUpperCase());
  // Date rolls 31 February over to March; a date that is not on the calendar is refused instead.
  const part = (from: number, to: number) => Number(minutes.slice(from, to));
  const real = !Number.isNaN(instant.getTime()) && part(8, 10) <= daysIn(part(0, 4), part(5, 7));
  return real ? instant : null;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function iso8601(from: (text: string) => Date | null) {
  return z
    .string()
    .meta({ format: "date-time", description: "ISO 8601 with an offset, e.g. 2026-11-20T18:00:00+02:00." })
    .transform((text, context) => {
      const instant = from(text);
      if (instant) return instant;
      const message = ISO_8601.test(text)
        ? "Names no day and time that exist, or none of the years 1970 to 9000."
        : "Must be ISO 8601 with an offset, such as 2026-11-20T18:00:00Z or 2026-11-20T20:00+02:00.";
      context.addIssue({ code: "custom", message, params: { code: "invalid_instant" } });
      return z.NEVER;
    });
}

/** An instant in a request: ISO 8601 with an offset. */
export const InstantIn = iso8601(instantFrom);

/** The same as a bound of a list. */
export const BoundIn = iso8601(boundFrom);

function webUrl(message: string) {
  return z.url({ protocol: /^https?$/, message }).max(2048, "Must be at most 2,048 characters.");
}

/** An http or https URL of a sensible length. */
export const WebUrl = webUrl("Must be an http or https URL.");

/** As that, where none is said by null. */
export const WebUrlOrNull = webUrl("Must be an http or https URL, or null for none.").nullable();

/** A whole number in a query string, where everything is text. */
export function wholeNumber(least: number, most: number) {
  const message = `Must be a whole number of ${least} to ${most}.`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
    .meta({ type: "integer", minimum: least, maximum: most });
}

/** Refuses two names of one thing that say two things. `alike` tells when values of different types say the same. */
export function oneMeaning(name: string, other: string, alike: (value: unknown) => unknown = (value) => value) {
  return (given: { [name: string]: unknown }, context: z.RefinementCtx): void => {
    const [value, same] = [given[name], given[other]];
    if (value === undefined || same === undefined || alike(value) === alike(same)) return;
    const message = `Says something else than ${name}, another name of the same. Leave one out.`;
    context.addIssue({ code: "custom", path: [other], message, params: { code: "contradiction" } });
  };
}

/** `limit` and `offset` of a list: the page size when none is asked for, and the largest. */
export function paging({ most, usual }: { most: number; usual: number }) {
  return {
    limit: wholeNumber(1, most).default(usual).describe(`${usual} unless given.`),
    offset: wholeNumber(0, 999_999_999).default(0).describe("0 unless given."),
  };
}

/** Part of a name to look for, in a query string. */
export const SearchText = z
  .string()
  .max(200)
  .normalize("NFC")
  .refine((text) => !text.includes("\0"), "Must not contain NUL.");
