// Turns whatever was thrown into the error that the caller gets.
import { HTTPException } from "hono/http-exception";
import { isDatabaseUnavailable } from "../services/database.ts";
import { type ApiError, apiError, type ErrorCode, toApiError, unavailableError } from "../shared/errors.ts";

/** An API error stays as it is, an unavailable database becomes 503, and an unexpected error `internalError` without details. */
export function toReportedError(error: unknown, internalError: ErrorCode, requestId: string): ApiError {
  const known = toApiError(error);
  if (known) return known;
  // The JSON validator throws it for a body that it cannot parse.
  if (error instanceof HTTPException && error.status === 400) {
    return apiError("invalid_json", "The body is not valid JSON.");
  }
  if (isDatabaseUnavailable(error)) return unavailableError("database", error);
  return apiError(internalError, `An internal error occurred. Contact support with the request id ${requestId}.`);
}
