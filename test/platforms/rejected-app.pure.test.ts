// What networks say when our app is at fault: it alerts the operator, and never disconnects or blames an account.
import { expect, test } from "vitest";
import { drivers } from "../../lib/platforms/index.ts";
import { type Failure, getFailure } from "../../lib/platforms/platform.ts";
import type { Platform } from "../../lib/shared/platforms.ts";

const NETWORK = { baseUrl: "https://network.example", clientId: "client", clientSecret: "secret" };
const TOKENS = { accessToken: "a", refreshToken: "r" };

/** Refreshes a token where the network answers with this. */
async function refresh(platform: Platform, status: number, body: object): Promise<Failure | null> {
  const answer = async () => Response.json(body, { status });
  const io = { fetch: answer as typeof fetch, fetchMedia: answer, now: () => new Date() };
  return (await drivers[platform].refresh(NETWORK, TOKENS, io).catch(getFailure)) as Failure | null;
}

const oauth = (error: string, error_description = "") => ({ error, error_description });
const meta = (code: number, message: string) => ({ error: { message, type: "OAuthException", code } });

test.each<[Platform, number, object]>([
  ["tiktok", 400, oauth("invalid_client", "Client key or secret is incorrect.")],
  ["tiktok", 200, oauth("invalid_client")],
  ["tiktok", 400, oauth("invalid_request", "The client_key is invalid.")],
  ["tiktok", 401, oauth("unauthorized_client", "The client is not authorized to use this grant type.")],
  ["youtube", 401, oauth("invalid_client", "The OAuth client was not found.")],
  ["youtube", 401, oauth("deleted_client", "The OAuth client was deleted.")],
  ["youtube", 401, oauth("disabled_client", "The OAuth client was disabled.")],
  ["youtube", 401, oauth("unauthorized_client", "Unauthorized")],
  ["youtube", 400, oauth("invalid_request", "Could not determine client ID from request.")],
  ["twitter", 401, oauth("unauthorized_client", "Missing valid authorization header")],
  ["twitter", 400, oauth("invalid_client", "Client authentication failed")],
  ["pinterest", 401, { code: 2, message: "Authentication failed." }],
  ["linkedin", 401, oauth("invalid_client", "Client authentication failed")],
  ["linkedin", 401, oauth("invalid_client_id", "The passed in client_id is invalid")],
  ["linkedin", 400, oauth("invalid_request", 'A required parameter "client_secret" is missing')],
  ["instagram", 400, meta(190, "Error validating application. Application has been deleted.")],
  ["instagram", 400, meta(101, "Error validating application. Application has been deleted.")],
  ["instagram", 400, meta(3, "(#3) Application does not have the capability to make this API call.")],
  ["threads", 400, meta(190, "Error validating application. Cannot get application info due to a system error.")],
  ["threads", 400, meta(1, "Error validating client secret.")],
])("%s answers a refresh with %d %j: the operator's", async (platform, status, body) => {
  const failed = await refresh(platform, status, body);
  expect(failed).toMatchObject({ class: "transient", operator: true });
  expect(failed?.message).toContain("This is not a problem of the account.");
  expect(failed?.message).not.toMatch(/reconnect/i);
});

test.each<[Platform, number, object]>([
  ["tiktok", 400, oauth("invalid_grant", "Refresh token is invalid or expired.")],
  ["youtube", 400, oauth("invalid_grant", "Token has been expired or revoked.")],
  ["youtube", 400, oauth("invalid_grant", "The token was issued to another client_id.")],
  ["twitter", 400, oauth("invalid_request", "Value passed for the token was invalid.")],
  ["pinterest", 400, { code: 1, message: "Invalid refresh token." }],
  ["linkedin", 400, oauth("invalid_grant", "The provided refresh token is invalid, expired or revoked.")],
  ["instagram", 400, meta(190, "Error validating access token: Session has expired.")],
  ["threads", 400, meta(190, "Error validating access token: The user has not authorized application 1.")],
])("%s answers a refresh with %d %j: the account has to be connected again", async (platform, status, body) => {
  const failed = await refresh(platform, status, body);
  expect(failed).toMatchObject({ class: "auth" });
  expect(failed?.operator).toBeUndefined();
  expect(failed?.message).toMatch(/Reconnect the account/);
});
