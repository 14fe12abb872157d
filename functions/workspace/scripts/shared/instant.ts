/** Making a formatter takes longer than all that a page formats with it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

export function formatDate(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([timeZone, options]);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat("en-GB", { timeZone, ...options });
  formatters.set(key, formatter);
  return formatter.format(at);
}

/** An instant as people read it, for the pages and their scripts. */
export function formatInstant(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions = {}): string {
  return formatDate(at, timeZone, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    ...options,
  });
}
