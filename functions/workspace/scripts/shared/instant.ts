/** An instant as people read it, for the pages and their scripts. */
export function formatInstant(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions = {}): string {
  return at.toLocaleString("en-GB", {
    timeZone,
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    ...options,
  });
}
