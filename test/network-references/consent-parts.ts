// Common parts of the references of consents: OAuth 2's authorization code (RFC 6749) and PKCE (RFC 7636).
import { integer, type JsonSchema, literal, type Operation, object, type Reference, string } from "./reference.ts";

const FORM = "application/x-www-form-urlencoded";
export const form = (schema: JsonSchema) => ({ [FORM]: schema });

/** A consent screen; its answer is the form of the fake, which is not compared. */
export function toScreen(path: string, source: string, query: Record<string, JsonSchema>): Operation[] {
  const schema = object({
    redirect_uri: string(),
    state: string({ minLength: 20 }),
    response_type: literal("code"),
    ...query,
  });
  return [
    { method: "GET", path, source, query: schema },
    { method: "POST", path, source, query: schema, bodies: { "*/*": "bytes" } },
  ];
}

export const PKCE = {
  code_challenge: string({ pattern: "^[A-Za-z0-9_-]{43}$" }),
  code_challenge_method: literal("S256"),
};
/** Basic authentication of the app (RFC 7617). */
export const BASIC: JsonSchema = {
  type: "object",
  required: ["authorization"],
  properties: { authorization: string({ pattern: "^Basic " }) },
};
export const BEARER: JsonSchema = {
  type: "object",
  required: ["authorization"],
  properties: { authorization: string({ pattern: "^Bearer " }) },
};
export const CODE = { code: string(), grant_type: literal("authorization_code"), redirect_uri: string() };
export const CLIENT = { client_id: string(), client_secret: string() };
export const issued = (more: Record<string, JsonSchema>) =>
  object({ access_token: string(), token_type: string(), expires_in: integer(), ...more });

/** A request for tokens, with a code or a refresh token; `app` is how the app names itself. */
export const tokenRequest = (app: Record<string, JsonSchema>, more: Record<string, JsonSchema> = {}) =>
  form(
    object({
      ...app,
      ...more,
      grant_type: literal("refresh_token", "authorization_code"),
      "refresh_token?": string(),
      "code?": string(),
      "redirect_uri?": string(),
    }),
  );

export function toReference(network: string, description: string, url: string, operations: Operation[]): Reference {
  const uncovered = "what the screens say and which permissions an app was approved for";
  return { network: `${network}/consent`, description, url, read: "2026-11-24", fixed: [], uncovered, operations };
}
