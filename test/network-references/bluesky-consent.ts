// Bluesky's consent, from the specification of OAuth in the AT Protocol and the RFCs that it builds on.
import { CODE, form, issued, PKCE, toReference } from "./consent-parts.ts";
import { integer, type JsonSchema, literal, object, string } from "./reference.ts";

const SPECIFICATION = "https://atproto.com/specs/oauth";
/** A proof of possession: https://www.rfc-editor.org/rfc/rfc9449#section-4. */
const PROOF: JsonSchema = {
  type: "object",
  required: ["dpop"],
  properties: { dpop: string({ pattern: "^[\\w-]+\\.[\\w-]+\\.[\\w-]+$" }) },
};
/** https://www.rfc-editor.org/rfc/rfc7523#section-2.2, by confidential clients only. */
const CLIENT = {
  client_id: string({ pattern: "^(https://[^/:]+/.+|http://localhost/?\\?.+)$" }),
  "client_assertion_type?": literal("urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
  "client_assertion?": string(),
};
const SCREEN = object({ client_id: string(), request_uri: string({ pattern: "^urn:ietf:params:oauth:request_uri:" }) });
const TOKENS = issued({ refresh_token: string(), scope: string({ pattern: "\\batproto\\b" }), sub: string() });

export const bluesky = toReference("bluesky", "OAuth of the AT Protocol", SPECIFICATION, [
  {
    method: "GET",
    path: "/.well-known/oauth-protected-resource",
    source: `${SPECIFICATION}#server-metadata`,
    answer: object({ resource: string(), authorization_servers: { type: "array", minItems: 1, maxItems: 1 } }),
  },
  { method: "GET", path: "/.well-known/oauth-authorization-server", source: `${SPECIFICATION}#server-metadata` },
  {
    method: "POST",
    path: "/oauth/par",
    source: `${SPECIFICATION}#authorization-requests`,
    headers: PROOF,
    bodies: form(
      object({
        ...{ ...CLIENT, ...PKCE, response_type: literal("code"), redirect_uri: string() },
        ...{
          state: string({ minLength: 20 }),
          scope: string({ pattern: "^atproto( \\S+)*$" }),
          "login_hint?": string(),
        },
      }),
    ),
    answer: object({ request_uri: string(), expires_in: integer() }),
  },
  { method: "GET", path: "/oauth/authorize", source: `${SPECIFICATION}#authorization-interface`, query: SCREEN },
  {
    ...{ method: "POST", path: "/oauth/authorize", source: `${SPECIFICATION}#authorization-interface`, query: SCREEN },
    bodies: { "*/*": "bytes" },
  },
  {
    method: "POST",
    path: "/oauth/token",
    source: `${SPECIFICATION}#tokens-and-session-lifetime`,
    headers: PROOF,
    bodies: form({
      anyOf: [
        object({ ...CLIENT, ...CODE, code_verifier: string() }),
        object({ ...CLIENT, grant_type: literal("refresh_token"), refresh_token: string() }),
      ],
    }),
    answer: TOKENS,
  },
  {
    method: "POST",
    path: "/oauth/revoke",
    source: "https://datatracker.ietf.org/doc/html/rfc7009#section-2.1",
    bodies: form(object({ ...CLIENT, token: string() })),
  },
]);
