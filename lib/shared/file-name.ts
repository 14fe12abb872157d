// File names from URLs.
import { at } from "./at.ts";
import { toSingleLine } from "./single-line.ts";

const MAX_LENGTH = 255;

/** The last path segment, decoded, on one line, and at most 255 characters, or `fallback` when it is empty. */
export function getFileName(url: string, fallback: string): string {
  const name = decodeIfPossible(at(new URL(url).pathname.split("/"), -1));
  const printable = toSingleLine(name.toWellFormed());
  return [...printable.slice(0, 2 * MAX_LENGTH)].slice(0, MAX_LENGTH).join("") || fallback;
}

function decodeIfPossible(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
