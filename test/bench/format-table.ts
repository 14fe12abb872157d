// Formats a table as plain text: text left-aligned, numbers right-aligned.
import type { Table } from "./section.ts";

export function formatTable({ title, note, rows, broken }: Table): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const text = rows.map((row) => columns.map((column) => String(row[column] ?? "")));
  const isNumber = columns.map((column) => rows.some((row) => typeof row[column] === "number"));
  const widths = columns.map((column, at) => Math.max(column.length, ...text.map((cells) => cells[at]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  return [
    title,
    ...(note ? [note] : []),
    "",
    line(columns),
    widths.map((width) => "-".repeat(width)).join("  "),
    ...text.map(line),
    ...broken.map((reason) => `BROKEN  ${reason}`),
  ].join("\n");
}
