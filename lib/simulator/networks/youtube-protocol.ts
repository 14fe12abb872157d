// Errors of the simulated YouTube, and the metadata that it rejects.
import type { NetworkResponse } from "./network.ts";

/** The categories that a video may have, with their names. */
export const CATEGORIES: Readonly<Record<string, string>> = {
  1: "Film & Animation",
  2: "Autos & Vehicles",
  10: "Music",
  15: "Pets & Animals",
  17: "Sports",
  19: "Travel & Events",
  20: "Gaming",
  22: "People & Blogs",
  23: "Comedy",
  24: "Entertainment",
  25: "News & Politics",
  26: "Howto & Style",
  27: "Education",
  28: "Science & Technology",
  29: "Nonprofits & Activism",
};

export function findResourceError(snippet: Record<string, unknown>, status: Record<string, unknown>): string | null {
  const { title, description, tags, categoryId } = snippet;
  if (typeof title !== "string" || title.trim() === "" || title.length > 100 || /[<>]/.test(title)) {
    return "invalidTitle";
  }
  const text = String(description ?? "");
  if (Buffer.byteLength(text) > 5_000 || /[<>]/.test(text)) return "invalidDescription";
  const tagList = Array.isArray(tags) ? tags.map(String) : [];
  // Measured as one comma-separated string, in which tags with spaces are quoted.
  const joined = tagList.map((tag) => (/\s/.test(tag) ? `"${tag}"` : tag)).join(",");
  if (joined.length > 500 || /[<>]/.test(joined)) return "invalidTags";
  if (categoryId !== undefined && !(String(categoryId) in CATEGORIES)) return "invalidCategoryId";
  if (status.license !== undefined && !["youtube", "creativeCommon"].includes(String(status.license)))
    return "invalidVideoMetadata";
  if (status.embeddable !== undefined && typeof status.embeddable !== "boolean") return "invalidVideoMetadata";
  const hasPrivacy = ["public", "private", "unlisted"].includes(String(status.privacyStatus));
  return hasPrivacy && typeof status.selfDeclaredMadeForKids === "boolean" ? null : "invalidVideoMetadata";
}

const HTTP_STATUS: Record<string, number> = {
  authError: 401,
  authorizationRequired: 401,
  youtubeSignupRequired: 401,
  quotaExceeded: 403,
  dailyLimitExceeded: 403,
  rateLimitExceeded: 403,
  userRateLimitExceeded: 403,
  channelSuspended: 403,
  channelClosed: 403,
  authenticatedUserAccountSuspended: 403,
  authenticatedUserAccountClosed: 403,
  forbidden: 403,
  insufficientPermissions: 403,
  commentsDisabled: 403,
  notFound: 404,
  playlistNotFound: 404,
  videoNotFound: 404,
  backendError: 503,
  internalError: 500,
};

export function errorResponse(reason: string, status?: number): NetworkResponse {
  const code = status ?? HTTP_STATUS[reason] ?? 400;
  const domain = /quota|limit/i.test(reason) ? "usageLimits" : code === 401 ? "global" : "youtube.video";
  const message = reason.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { status: code, body: { error: { code, message, errors: [{ message, domain, reason }] } } };
}

export function tokenErrorResponse(status: number, error: string): NetworkResponse {
  return { status, body: { error, error_description: "Token has been expired or revoked." } };
}
