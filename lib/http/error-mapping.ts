// Turns whatever was thrown into the error that the caller gets.
import { HTTPException } from "hono/http-exception";
import { isDatabaseUnavailable } from "../services/database.ts";
import { type ApiError, apiError, type ErrorCode, toApiError, unavailableError } from "../shared/errors.ts";

/** The error of a body that the JSON validator could not parse names the position; any other error stays as it is. */
export async function locateJsonError(error: unknown, readText: () => Promise<string>): Promise<unknown> {
  if (!(error instanceof HTTPException && error.status === 400)) return error;
  return apiError("invalid_json", `The body is not valid JSON${describePosition(await readText())}.`);
}

/** Empty where the engine gives no position. Its message is not passed on, because it quotes the body. */
function describePosition(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const position = /at position (\d+)/.exec(message)?.[1] ?? findQuotedPosition(text, message);
    if (/end of JSON input|Unterminated/.test(message) || Number(position) >= text.length) {
      return `: it ends within a value, after ${text.length} characters`;
    }
    if (position !== undefined) return `: character ${Number(position) + 1} is not expected`;
  }
  return "";
}

/** For short bodies the engine names the character alone, which is the first of its kind if there is one only. */
function findQuotedPosition(text: string, message: string): number | undefined {
  const token = /^Unexpected token '(.+?)', /u.exec(message)?.[1];
  const first = token === undefined ? -1 : text.indexOf(token);
  return first >= 0 && first === text.lastIndexOf(token ?? "") ? first : undefined;
}

/** An API error stays as it is, an unavailable database becomes 503, and an unexpected error `internalError` without details. */
export function toReportedError(error: unknown, internalError: ErrorCode, requestId: string): ApiError {
  const known = toApiError(error);
  if (known) return known;
  if (isDatabaseUnavailable(error)) return unavailableError("database", error);
  return apiError(internalError, `An internal error occurred. Contact support with the request id ${requestId}.`);
}
