// The choices of a person who gets mail.

/** `at_once` within a minute or two, `daily` at eight in the morning of the person's time zone. */
export const FREQUENCIES = ["at_once", "daily", "none"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** Of a person who has chosen nothing: a mail a day shows what was missed, and a bad hour does not fill an inbox. */
export const DEFAULT_SETTINGS: { frequency: Frequency; timeZone: string } = { frequency: "daily", timeZone: "UTC" };
