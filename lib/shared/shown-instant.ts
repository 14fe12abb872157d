// Instants as people read them, for pages, their scripts and mails.

const INSTANT = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g;

/** Making a formatter takes longer than all that a page formats with it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

export function formatDate(at: Date, timeZone: string, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([timeZone, options]);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat("en-GB", { timeZone, ...options });
  formatters.set(key, formatter);
  return formatter.format(at);
}

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

/** A message of the API with its instants in another form. */
export function replaceInstants(message: string, format: (at: Date) => string): string {
  return message.replace(INSTANT, (at) => format(new Date(at)));
}
