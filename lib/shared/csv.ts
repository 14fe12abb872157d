// Comma-separated values as RFC 4180 describes them, which spreadsheets open: https://www.rfc-editor.org/rfc/rfc4180, read
// 2026-11-28.

export const CSV_TYPE = "text/csv; charset=utf-8; header=present";

/** Spreadsheets take a file without it for one in the encoding of the system, and garble what is not ASCII. */
export const CSV_START = "\uFEFF";

export type Cell = string | number | null;

export function formatCsvRow(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(",")}\r\n`;
}

/**
 * A text that a spreadsheet would run as a formula. Numbers are never texts here, so that -3 stays a number. The characters,
 * and the quote that disarms them, are those of OWASP: https://asvs.emil.hemdal.se/1.2.10 and
 * https://symfony.com/cve-2021-41270, both read 2026-11-28. A line feed begins a cell as a carriage return does, and the
 * wide forms of these characters are taken for them in East Asian versions.
 */
const FORMULA_START = /^[=+\-@\t\r\n\0＝＋－＠]/;

function formatCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
