// JSON that JSON.stringify cannot write: any number token, and objects with duplicate keys.

/** Far above what the API accepts; the platform itself rejects more than 100 MB. */
export const MAX_BODY_LENGTH = 4 * 1024 * 1024;

/** Written as it is. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object whose keys may repeat. */
export class JsonEntries {
  readonly entries: [key: string, value: unknown][];
  constructor(entries: [key: string, value: unknown][]) {
    this.entries = entries;
  }
}

/** The text ends at `maxLength`: a value that was changed several times can be gigabytes long. */
export function formatJson(value: unknown, maxLength: number): string {
  let text = "";
  for (const token of listTokens(value)) {
    text += token;
    if (text.length >= maxLength) return text.slice(0, maxLength);
  }
  return text;
}

function* listTokens(value: unknown): Generator<string> {
  if (value instanceof RawJson) yield value.text;
  else if (value instanceof JsonEntries) yield* listEntryTokens(value.entries);
  else if (Array.isArray(value)) {
    yield "[";
    for (const [at, item] of value.entries()) {
      if (at > 0) yield ",";
      yield* listTokens(item);
    }
    yield "]";
  } else if (typeof value === "object" && value !== null) yield* listEntryTokens(Object.entries(value));
  else yield JSON.stringify(value) ?? "null";
}

function* listEntryTokens(entries: [string, unknown][]): Generator<string> {
  yield "{";
  for (const [at, [key, value]] of entries.entries()) {
    yield `${at > 0 ? "," : ""}${JSON.stringify(key)}:`;
    yield* listTokens(value);
  }
  yield "}";
}
