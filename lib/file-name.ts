// What to call the file behind a URL.
const LENGTH_AT_MOST = 255;

/** The last part of the path as people read it, or `otherwise` where the path names nothing. */
export function fileNameIn(url: string, otherwise: string): string {
  const name = decoded(new URL(url).pathname.split("/").at(-1) ?? "");
  const printable = name.replaceAll("\0", "").toWellFormed().trim();
  return [...printable.slice(0, 2 * LENGTH_AT_MOST)].slice(0, LENGTH_AT_MOST).join("") || otherwise;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
