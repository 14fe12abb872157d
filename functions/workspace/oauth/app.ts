// The endpoints of OAuth that programs call: metadata, registration of clients, tokens and their revocation. No cookie is read here.
import { type Context, Hono } from "hono";
import { SECURITY_HEADERS } from "../../../lib/http/envelope.ts";
import { limitForm } from "../../../lib/http/page.ts";
import { consumeRateLimits, type PolicyName } from "../../../lib/http/rate-limits.ts";
import { createClientId, parseClientMetadata } from "../../../lib/oauth/client.ts";
import { issueTokens, OAuthError, revokeToken } from "../../../lib/oauth/issue-tokens.ts";
import { describeResource, describeServer } from "../../../lib/oauth/metadata.ts";
import { insertOAuthClient } from "../../../lib/queries/oauth-clients.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import { formatError } from "../../../lib/shared/format-error.ts";
import { OAUTH_PATH, RESOURCE_METADATA_PATH, SERVER_METADATA_PATH } from "../../../lib/shared/paths.ts";
import type { WorkspaceEnv } from "../page.ts";
import { openRequest } from "../session.ts";

type ProgramContext = Context<WorkspaceEnv>;

const METADATA_CACHE = { "Cache-Control": "public, max-age=300" };

const app = new Hono<WorkspaceEnv>({ strict: false });
app.use(openRequest, async (c, next) => {
  await next();
  const { headers } = c.res;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
  headers.set("X-Request-Id", c.var.requestId);
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
});

app.get(SERVER_METADATA_PATH, (c) => c.json(describeServer(c.var.origin), 200, METADATA_CACHE));
app.get(`${RESOURCE_METADATA_PATH}/*`, (c) => {
  const path = c.req.path.slice(RESOURCE_METADATA_PATH.length).replace(/\/$/, "");
  const resource = describeResource(c.var.origin, path);
  return resource ? c.json(resource, 200, METADATA_CACHE) : sendNotFound(c);
});

app.post(`${OAUTH_PATH}/register`, limitForm, async (c) => {
  await limit(c, "oauth_registrations");
  const client = parseClientMetadata(await c.req.json().catch(() => null));
  if ("error" in client) return sendError(c, client.error, client.description);
  const id = createClientId();
  await insertOAuthClient(c.var.services.db, { id, ...client, createdAt: c.var.now });
  return c.json(
    {
      client_id: id,
      client_id_issued_at: Math.floor(c.var.now.getTime() / 1000),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    201,
  );
});

app.post(`${OAUTH_PATH}/token`, limitForm, async (c) => {
  const form = await readForm(c);
  await limit(c, "oauth_requests");
  return c.json(await issueTokens(toContext(c), form));
});

app.post(`${OAUTH_PATH}/revoke`, limitForm, async (c) => {
  const form = await readForm(c);
  await limit(c, "oauth_requests");
  await revokeToken(toContext(c), form);
  return c.body(null, 200);
});

app.all(`${OAUTH_PATH}/:endpoint`, (c) =>
  c.json({ error: "invalid_request", error_description: "Send this request with POST." }, 405, { Allow: "POST" }),
);
app.notFound(sendNotFound);
app.onError((error, c) => {
  if (error instanceof OAuthError) return sendError(c, error.code, error.message);
  const known = toApiError(error);
  if (known?.status === 429) {
    const headers = { "Retry-After": String(known.extra.retry_after_seconds) };
    return c.json({ error: "temporarily_unavailable", error_description: known.message }, 429, headers);
  }
  if (known && known.status < 500)
    return c.json({ error: "invalid_request", error_description: known.message }, known.status);
  c.var.services?.log({ level: "error", error: formatError(error) });
  const isDown = known?.status === 503;
  const description = `${isDown ? "A part of this service cannot be reached." : "An unexpected error occurred."} Try again.`;
  return c.json(
    { error: isDown ? "temporarily_unavailable" : "server_error", error_description: description },
    isDown ? 503 : 500,
  );
});

function toContext({ var: { services, now, origin } }: ProgramContext) {
  const { db, env, requestId } = services;
  return { db, env, requestId, now, origin };
}

async function readForm(c: ProgramContext): Promise<URLSearchParams> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw new OAuthError("invalid_request", "Send the fields as application/x-www-form-urlencoded.");
  const form = new URLSearchParams(await c.req.text());
  if ([...form.values()].some((value) => value.includes("\0")))
    throw new OAuthError("invalid_request", "A field has a NUL character.");
  return form;
}

/** Per address of the network. */
async function limit(c: ProgramContext, policy: PolicyName): Promise<void> {
  const address = `address ${c.req.header("cf-connecting-ip") ?? ""}`;
  const { error } = await consumeRateLimits(c.var.services.redis, [policy], address, c.var.now, {});
  if (error) throw error;
}

function sendError(c: ProgramContext, error: string, description: string): Response {
  return c.json({ error, error_description: description }, 400);
}

function sendNotFound(c: ProgramContext): Response {
  return c.json({ error: "invalid_request", error_description: "There is no such document." }, 404);
}

export default app;
