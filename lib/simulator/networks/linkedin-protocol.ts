// Errors, the little text format and post validation of the simulated LinkedIn.
import type { NetworkAccount, NetworkRequest, NetworkResponse } from "./network.ts";

const HTTP_STATUS: Record<string, number> = {
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
/** Content errors are returned as input errors in a longer body. */
const INPUT_ERRORS = new Set(["DUPLICATE_POST", "MEDIA_ASSET_PROCESSING_FAILED", "MEDIA_ASSET_WAITING_UPLOAD"]);

export function errorResponse(code: string, message?: string): NetworkResponse {
  if (INPUT_ERRORS.has(code)) {
    const inputErrors = [{ description: code.toLowerCase().replaceAll("_", " "), input: {}, code }];
    const errorDetailType = "com.linkedin.common.error.BadRequest";
    const body = { errorDetailType, message: message ?? code, errorDetails: { inputErrors }, status: 422 };
    return { status: 422, body };
  }
  const status = HTTP_STATUS[code] ?? 400;
  return { status, body: { status, code, serviceErrorCode: status * 100, message: message ?? code } };
}

/**
 * Months are skipped, and a version ends after a year. The months of
 * https://learn.microsoft.com/en-us/linkedin/marketing/integrations/migrations (read 2026-11-24), and later ones that
 * integrations were seen to use.
 */
const VERSIONS = new Set(["202601", "202602", "202603", "202605", "202607", "202608"]);

/** LinkedIn requires a version (year and month) and a protocol version. */
export function findHeaderError({ headers }: NetworkRequest): NetworkResponse | null {
  const version = headers.get("linkedin-version");
  if (version === null) return errorResponse("VERSION_MISSING", "A version must be present. Please specify a version.");
  if (!VERSIONS.has(version)) {
    return errorResponse("NONEXISTENT_VERSION", `Requested version ${version} is not active`);
  }
  return headers.get("x-restli-protocol-version") === "2.0.0" ? null : errorResponse("INVALID_PROTOCOL_VERSION");
}

/** Returns the text as displayed: LinkedIn truncates it at the first unescaped reserved character. */
export function renderCommentary(commentary: string): string {
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

/** Returns the id at the end of a path. */
export function readLastPathId({ path }: NetworkRequest): string {
  return decodeURIComponent(path.split("/")[3] ?? "");
}

/** The external id of an account may be the whole URN or its last part. */
export function canActAs(account: NetworkAccount, urn: string): boolean {
  if (!/^urn:li:(person|organization):[\w-]+$/.test(urn)) return false;
  // A consent of a person who also administers organizations.
  const others = Array.isArray(account.facts?.actsAs) ? account.facts.actsAs : [];
  if (others.includes(urn)) return true;
  return urn === account.externalId || urn.split(":")[3] === account.externalId;
}

export function listUrns(content: unknown): string[] {
  const { article, media, multiImage } = (content ?? {}) as {
    article?: { thumbnail?: string };
    media?: { id: string };
    multiImage?: { images: { id: string }[] };
  };
  if (article) return article.thumbnail ? [article.thumbnail] : [];
  return media ? [media.id] : (multiImage?.images ?? []).map(({ id }) => id);
}

export function findArticle(content: unknown): Record<string, unknown> | null {
  const { article } = (content ?? {}) as { article?: Record<string, unknown> };
  return article ?? null;
}

/** Without a title LinkedIn refuses the post: the API reads no page. */
function isArticle({ source, title, thumbnail = "urn:li:image:" }: Record<string, unknown>): boolean {
  const isTitled = typeof title === "string" && title.trim() !== "" && title.length <= 400;
  return /^https?:/.test(String(source)) && isTitled && /^urn:li:image:/.test(String(thumbnail));
}

export function toKind(urns: string[]): string {
  if (urns.length > 1) return "multi_image";
  return urns[0]?.split(":")[2] ?? "text";
}

export function findPostError(body: Record<string, unknown>, author: string): NetworkResponse | null {
  const { commentary, visibility, lifecycleState, distribution, content } = body;
  const feed = (distribution as { feedDistribution?: string } | undefined)?.feedDistribution;
  if (typeof commentary !== "string" || lifecycleState !== "PUBLISHED" || feed !== "MAIN_FEED") {
    return errorResponse("MISSING_REQUIRED_FIELD");
  }
  const allowed = author.startsWith("urn:li:organization:") ? ["PUBLIC"] : ["PUBLIC", "CONNECTIONS"];
  if (!allowed.includes(String(visibility))) return errorResponse("INVALID_VALUE_FOR_FIELD");
  if (renderCommentary(commentary).length > 3_000) return errorResponse("FIELD_LENGTH_TOO_LONG");
  const hasImages = (content as { multiImage?: unknown } | undefined)?.multiImage !== undefined;
  const urns = listUrns(content);
  if (hasImages && (urns.length < 2 || urns.length > 20 || urns.some((urn) => !urn.startsWith("urn:li:image:")))) {
    return errorResponse("INVALID_VALUE_FOR_FIELD");
  }
  const article = findArticle(content);
  if (article) return isArticle(article) ? null : errorResponse("MISSING_REQUIRED_FIELD");
  return content !== undefined && urns.length === 0 ? errorResponse("INVALID_VALUE_FOR_FIELD") : null;
}

/** Returns true for a PDF with a valid cross-reference table and at least one page. */
export function isPdf(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  const start = Number(/startxref\n(\d+)\n%%EOF\s*$/.exec(text)?.[1] ?? Number.NaN);
  const table = /^xref\n0 (\d+)\n((?:\d{10} \d{5} [fn] \n)+)trailer/.exec(text.slice(start));
  if (!text.startsWith("%PDF-1.") || !table) return false;
  const entries = (table[2] ?? "").split("\n").slice(1, -1);
  const isValid = entries.every((entry, at) => text.startsWith(`${at + 1} 0 obj\n`, Number(entry.slice(0, 10))));
  return isValid && entries.length === Number(table[1]) - 1 && /\/Type \/Page /.test(text);
}
