// LinkedIn's error envelope, its little text format and the shape of its posts, read as LinkedIn does, for the stand-in.
import type { Answer, Incoming, NetworkAccount } from "./network.ts";

const STATUS_OF: Record<string, number> = {
  EMPTY_ACCESS_TOKEN: 401,
  INVALID_ACCESS_TOKEN: 401,
  EXPIRED_ACCESS_TOKEN: 401,
  REVOKED_ACCESS_TOKEN: 401,
  ACCESS_DENIED: 403,
  MEMBER_RESTRICTED: 403,
  NOT_FOUND: 404,
  NONEXISTENT_VERSION: 426,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
};
/** Refusals of the content itself come as input errors inside a longer body. */
const INPUT_ERRORS = new Set(["DUPLICATE_POST", "MEDIA_ASSET_PROCESSING_FAILED", "MEDIA_ASSET_WAITING_UPLOAD"]);

export function fault(code: string, message?: string): Answer {
  if (INPUT_ERRORS.has(code)) {
    const inputErrors = [{ description: code.toLowerCase().replaceAll("_", " "), input: {}, code }];
    const errorDetailType = "com.linkedin.common.error.BadRequest";
    const body = { errorDetailType, message: message ?? code, errorDetails: { inputErrors }, status: 422 };
    return { status: 422, body };
  }
  const status = STATUS_OF[code] ?? 400;
  return { status, body: { status, code, serviceErrorCode: status * 100, message: message ?? code } };
}

/** LinkedIn wants a month as version, the protocol of its framework, and speaks only then. */
export function headerFault({ headers }: Incoming): Answer | null {
  const version = headers.get("linkedin-version");
  if (version === null) return fault("VERSION_MISSING", "A version must be present. Please specify a version.");
  if (!/^20\d\d(0[1-9]|1[0-2])$/.test(version)) {
    return fault("NONEXISTENT_VERSION", `Requested version ${version} is not active`);
  }
  return headers.get("x-restli-protocol-version") === "2.0.0" ? null : fault("INVALID_PROTOCOL_VERSION");
}

/** What people read: LinkedIn cuts a text at the first reserved character that is not escaped. */
export function readingOf(commentary: string): string {
  let out = "";
  for (let at = 0; at < commentary.length; at++) {
    const char = commentary.charAt(at);
    const template = /^\{hashtag\|\\?#\|([^|{}\\]+)\}/.exec(commentary.slice(at));
    if (template) {
      out += `#${template[1]}`;
      at += template[0].length - 1;
    } else if (char === "\\") {
      at += 1;
      out += commentary.charAt(at);
    } else if (/[|{}@[\]()<>#*_~]/.test(char)) {
      return out;
    } else out += char;
  }
  return out;
}

/** The id that a path ends in. */
export function lastOf({ path }: Incoming): string {
  return decodeURIComponent(path.split("/")[3] ?? "");
}

/** The account is known by its whole URN or by the last part of it. */
export function mayActAs(account: NetworkAccount, urn: string): boolean {
  if (!/^urn:li:(person|organization):[\w-]+$/.test(urn)) return false;
  return urn === account.externalId || urn.split(":")[3] === account.externalId;
}

export function urnsOf(content: unknown): string[] {
  const { media, multiImage } = (content ?? {}) as {
    media?: { id: string };
    multiImage?: { images: { id: string }[] };
  };
  return media ? [media.id] : (multiImage?.images ?? []).map(({ id }) => id);
}

export function kindOf(urns: string[]): string {
  if (urns.length > 1) return "multi_image";
  return urns[0]?.split(":")[2] ?? "text";
}

export function shapeFault(body: Record<string, unknown>, author: string): Answer | null {
  const { commentary, visibility, lifecycleState, distribution, content } = body;
  const feed = (distribution as { feedDistribution?: string } | undefined)?.feedDistribution;
  if (typeof commentary !== "string" || lifecycleState !== "PUBLISHED" || feed !== "MAIN_FEED") {
    return fault("MISSING_REQUIRED_FIELD");
  }
  const open = author.startsWith("urn:li:organization:") ? ["PUBLIC"] : ["PUBLIC", "CONNECTIONS"];
  if (!open.includes(String(visibility))) return fault("INVALID_VALUE_FOR_FIELD");
  if (readingOf(commentary).length > 3_000) return fault("FIELD_LENGTH_TOO_LONG");
  const several = (content as { multiImage?: unknown } | undefined)?.multiImage !== undefined;
  const urns = urnsOf(content);
  if (several && (urns.length < 2 || urns.length > 20 || urns.some((urn) => !urn.startsWith("urn:li:image:")))) {
    return fault("INVALID_VALUE_FOR_FIELD");
  }
  return content !== undefined && urns.length === 0 ? fault("INVALID_VALUE_FOR_FIELD") : null;
}

/** A PDF whose table of objects points at objects, with at least one page; anything else can not be processed. */
export function isPdf(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  const start = Number(/startxref\n(\d+)\n%%EOF\s*$/.exec(text)?.[1] ?? Number.NaN);
  const table = /^xref\n0 (\d+)\n((?:\d{10} \d{5} [fn] \n)+)trailer/.exec(text.slice(start));
  if (!text.startsWith("%PDF-1.") || !table) return false;
  const entries = (table[2] ?? "").split("\n").slice(1, -1);
  const found = entries.every((entry, at) => text.startsWith(`${at + 1} 0 obj\n`, Number(entry.slice(0, 10))));
  return found && entries.length === Number(table[1]) - 1 && /\/Type \/Page /.test(text);
}
