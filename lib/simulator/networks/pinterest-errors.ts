// Errors of the simulated Pinterest.
import type { NetworkResponse } from "./network.ts";

const ERRORS: Record<string, readonly [number, string]> = {
  1: [400, "Invalid request: scripted error"],
  2: [401, "Authentication failed."],
  3: [403, "Authorization failed."],
  29: [403, "You are not permitted to access that resource."],
  // https://github.com/gitroomhq/postiz-app/issues/1084, read 2026-11-28.
  trial: [
    403,
    "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.",
  ],
  40: [404, "Board not found."],
  235: [400, "Sorry! We could not fetch the image."],
  236: [400, "Unable to reach the URL. Please check the URL is correct and try again."],
  2786: [400, "Sorry! We blocked this link because it may lead to spam."],
  9001: [403, "Your account has been suspended."],
  9002: [403, "No."],
};

export function codeError(code: string): NetworkResponse {
  const [status, message] = ERRORS[code] ?? [400, "Invalid request: scripted error"];
  return errorResponse(status, code === "trial" ? 29 : Number(code) || 1, message);
}

export function errorResponse(status: number, code: number, message: string): NetworkResponse {
  return { status, body: { code, message } };
}
