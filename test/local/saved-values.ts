// The values that `npm run api -- --save NAME=FIELD` kept, in the place of `{NAME}` in later requests.

export type SavedValues = Readonly<Record<string, string>>;

/** Something names a value that was never saved. */
export class NotSavedError extends Error {
  constructor(name: string, saved: SavedValues) {
    const names = Object.keys(saved);
    super(
      `Nothing is saved as ${name}. ${names.length > 0 ? `Saved are: ${names.join(", ")}.` : "No name is saved yet."} ` +
        `--save ${name}=FIELD keeps a field of a response.`,
    );
  }
}

/** Every `{name}` of a path must be saved: no path of the API contains braces. */
export function fillPath(path: string, saved: SavedValues): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => read(name, saved));
}

/** A text may contain braces of its own, so only a whole value must be saved. */
export function fillBody(json: string, saved: SavedValues): string {
  return json
    .replaceAll(/"\{(\w+)\}"/g, (_, name) => `"${read(name, saved)}"`)
    .replaceAll(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(saved, name) ? read(name, saved) : whole));
}

function read(name: string, saved: SavedValues): string {
  const value = Object.hasOwn(saved, name) ? saved[name] : undefined;
  if (value === undefined) throw new NotSavedError(name, saved);
  return value;
}
