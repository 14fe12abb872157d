// Times of a timeline as people read and write them, for the pages and their scripts.

/** `1:02.5` */
export function formatTime(ms: number): string {
  const tenths = Math.round(ms / 100);
  const [minutes, rest] = [Math.floor(tenths / 600), tenths % 600];
  return `${minutes}:${String(Math.floor(rest / 10)).padStart(2, "0")}.${rest % 10}`;
}

/** Seconds for a field of a form. */
export function toSeconds(ms: number): string {
  return String(ms / 1000);
}
