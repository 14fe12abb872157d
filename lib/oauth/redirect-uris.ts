// The addresses that a client may be sent back to, and which registered one a request names.

/** Longer than any that a client needs. */
const MAX_LENGTH = 2_048;

/** Apps whose scheme is not one of RFC 8252, such as Cursor: https://developer.mittwald.de/docs/v2/mcp/getting-connected/cursor, read 2026-11-29. */
const KNOWN_SCHEMES = ["cursor:"];

/** A scheme with a dot, which an app owns by its domain: https://datatracker.ietf.org/doc/html/rfc8252#section-7.1, read 2026-11-29. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;

/** A page on the device of the person. The port is free; `localhost` too, since clients register it. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;

/** Null when the client may register it, otherwise the reason. */
export function findRedirectUriProblem(uri: string): string | null {
  if (uri.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  // The browser would read a backslash, a line break or a letter outside of ASCII as something else.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) return "has characters that must be percent-encoded";
  if (!URL.canParse(uri)) return "is not an absolute URL";
  const { protocol, username, password } = new URL(uri);
  if (uri.includes("#")) return "has a fragment";
  if (username || password) return "has a user name or password";
  if (protocol === "https:" || KNOWN_SCHEMES.includes(protocol) || PRIVATE_SCHEME.test(protocol)) return null;
  if (protocol === "http:") return LOOPBACK.test(uri) ? null : "uses http, which is for 127.0.0.1, [::1] and localhost";
  return "must use https, http on the loopback interface, or a private scheme such as com.example.app";
}

/**
 * True for exactly the registered text, and on the loopback interface for any port:
 * https://datatracker.ietf.org/doc/html/rfc8252#section-7.3, read 2026-11-29.
 */
export function isRegisteredRedirectUri(registered: readonly string[], uri: string): boolean {
  if (findRedirectUriProblem(uri) !== null) return false;
  const wanted = withoutPort(uri);
  return registered.some((one) => one === uri || (wanted !== null && withoutPort(one) === wanted));
}

/** Null for what is not on the loopback interface. */
function withoutPort(uri: string): string | null {
  const [, host, rest] = LOOPBACK.exec(uri) ?? [];
  return host === undefined ? null : `${host}${rest}`;
}

export function isLoopback(uri: string): boolean {
  return LOOPBACK.test(uri);
}

/** The address with the parameters of a response. Its own text stays as it is. */
export function addParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${uri}${uri.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`;
}
