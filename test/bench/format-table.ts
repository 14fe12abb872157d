// Formats a table as plain text: text left-aligned, numbers right-aligned.
import { at } from "../../lib/shared/at.ts";
import type { Table } from "./section.ts";

export function formatTable({ title, note, rows, broken }: Table): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const text = rows.map((row) => columns.map((column) => String(row[column] ?? "")));
  const isNumber = columns.map((column) => rows.some((row) => typeof row[column] === "number"));
  const widths = columns.map((column, place) =>
    Math.max(column.length, ...text.map((cells) => at(cells, place).length)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, place) => (isNumber[place] ? cell.padStart(at(widths, place)) : cell.padEnd(at(widths, place))))
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
