// Takes secrets out of what is printed: known values, fields whose names say so, and queries of signed URLs.

const SECRET_NAME =
  /token|jwt|secret|password|passwd|signature|sig$|credential|policy|authorization|auth$|upload_?id|upload_?url|^key$|code$/i;
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g;
const URL_WITH_QUERY = /(https?:\/\/[^\s"'?<>]+)\?[^\s"'<>]*/g;
const MAX_VALUE = 60;
const MAX_TEXT = 600;
/** Shorter values would hide parts of ordinary words. */
const MIN_SECRET = 6;
const HIDDEN = "***";

export interface Redactor {
  /** Hides this value everywhere from now on. */
  add(secret: string | undefined): void;
  text(text: string): string;
  url(url: string): string;
  /** The body of a request or response, shortened. */
  body(body: unknown): string;
}

export function createRedactor(): Redactor {
  const secrets = new Set<string>();

  function add(secret: string | undefined) {
    if (secret && secret.length >= MIN_SECRET) secrets.add(secret);
  }

  function text(raw: string): string {
    let shown = raw;
    // The longest first: one secret may be part of another.
    for (const secret of [...secrets].toSorted((a, b) => b.length - a.length)) {
      shown = shown.replaceAll(secret, HIDDEN).replaceAll(encodeURIComponent(secret), HIDDEN);
    }
    return shown.replace(JWT, HIDDEN);
  }

  function url(raw: string): string {
    const parsed = new URL(raw);
    const query = [...parsed.searchParams].map(([name, value]) => `${name}=${toShown(name, value)}`);
    const shown = `${parsed.origin}${parsed.pathname}${query.length > 0 ? `?${query.join("&")}` : ""}`;
    return text(shown);
  }

  function toShown(name: string, value: string): string {
    if (!SECRET_NAME.test(name)) return value.length > MAX_VALUE ? HIDDEN : value;
    add(value);
    return HIDDEN;
  }

  /** Remembers secret fields, so that a later URL or body does not show them either. */
  function hideFields(value: unknown): unknown {
    if (typeof value === "string") return value.replace(URL_WITH_QUERY, `$1?${HIDDEN}`);
    if (Array.isArray(value)) return value.map(hideFields);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => {
        if (!SECRET_NAME.test(name) || typeof field !== "string") return [name, hideFields(field)];
        // Addresses are needed again in their shortened form; error codes are no secrets.
        if (/^https?:/.test(field)) return [name, hideFields(field)];
        if (/code$/i.test(name)) return [name, field];
        add(field);
        return [name, HIDDEN];
      }),
    );
  }

  function body(raw: unknown): string {
    if (raw === null || raw === undefined || raw === "") return "";
    if (raw instanceof URLSearchParams) return body(JSON.stringify(Object.fromEntries(raw)));
    if (typeof raw !== "string") return `(${raw instanceof FormData ? "form with a file" : "bytes"})`;
    const shown = text(JSON.stringify(hideFields(parse(raw))));
    return shown.length > MAX_TEXT ? `${shown.slice(0, MAX_TEXT)}... (${shown.length} characters)` : shown;
  }

  return { add, text, url, body };
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    // Forms become objects, so that their fields have names; other text stays text.
    return /^[\w.%-]+=/.test(raw) ? Object.fromEntries(new URLSearchParams(raw)) : raw;
  }
}
