// Opaque cursors: the position of a page's last row, as text for a URL.

/** The sort key of a list, and the id that breaks ties. */
export type Position = readonly (string | number)[];

export function encodeCursor(position: Position): string {
  return btoa(JSON.stringify(position)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Null for text that `encodeCursor` does not return. */
export function decodeCursor(cursor: string): Position | null {
  try {
    const position: unknown = JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
    return Array.isArray(position) && encodeCursor(position) === cursor ? position : null;
  } catch {
    return null;
  }
}
