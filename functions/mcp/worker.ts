// The Worker of the tools for agents, deployed separately (`-c functions/mcp/wrangler.toml`): /mcp, stateless, by the Model
// Context Protocol.

// Evaluates zod, which the bundle evaluates late and the next package needs: esbuild does not see that, as zod is free of side effects.
import "../../lib/services/env.ts";
import { createMcpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import { getCachedCredential, readCredential, readToken, requireLiveMode } from "../../lib/http/auth.ts";
import { errorResponse, readRequestId, toResponse } from "../../lib/http/envelope.ts";
import { getResourceMetadataUrl } from "../../lib/oauth/metadata.ts";
import type { Credential } from "../../lib/queries/keys.ts";
import { withPreviewQueue } from "../../lib/sandbox/preview-queue.ts";
import { openServices, type Services } from "../../lib/services/context.ts";
import { getOrigin, getPublicUrl } from "../../lib/services/env.ts";
import { type ApiError, apiError, toApiError } from "../../lib/shared/errors.ts";
import { formatError } from "../../lib/shared/format-error.ts";
import { type Caller, createServer } from "./server.ts";

/** The arguments of a tool are far smaller: files are never in a call. */
const MAX_BODY_BYTES = 1024 * 1024;

interface Platform {
  env: Record<string, unknown>;
  executionCtx: ExecutionContext;
}

export default {
  async fetch(request: Request, bindings: Record<string, unknown>, ctx: ExecutionContext): Promise<Response> {
    const env = withPreviewQueue(bindings, ctx);
    const requestId = readRequestId(request.headers.get("x-request-id") ?? undefined);
    let services: Services | null = null;
    try {
      services = openServices(env, requestId, (work) => ctx.waitUntil(work));
      return challenge(request, services, await serve(request, services, { env, executionCtx: ctx }));
    } catch (error) {
      const response = toResponse(errorResponse(toReportedError(error, requestId)), requestId);
      return services ? challenge(request, services, response) : response;
    }
  },
};

/**
 * Tells a client that was not accepted where it finds the authorization server:
 * https://datatracker.ietf.org/doc/html/rfc9728#section-5.1, read 2026-11-29.
 */
function challenge(request: Request, { env }: Services, response: Response): Response {
  if (response.status !== 401) return response;
  const metadata = getResourceMetadataUrl(getOrigin(env, request.url), "mcp");
  const error = request.headers.has("authorization") ? ', error="invalid_token"' : "";
  response.headers.set("WWW-Authenticate", `Bearer resource_metadata="${metadata}"${error}`);
  return response;
}

async function serve(request: Request, services: Services, platform: Platform): Promise<Response> {
  const refused = refuseForeignOrigin(request, new URL(getPublicUrl(services.env)).origin);
  if (refused) return refused;
  let rejection: Response | null = null;
  const caller = await openCaller(request, services, platform, (response) => {
    rejection = response;
  });
  const response = await waitForOutcome(await createHandler(() => createServer(caller)).fetch(request));
  // The operation of the tool is logged under it.
  response.headers.set("X-Request-Id", services.requestId);
  return rejection ?? response;
}

/** A page of another site must not speak for the person whose browser shows it. Programs send no Origin. */
export function refuseForeignOrigin({ headers }: Request, own: string): Response | null {
  const given = headers.get("origin");
  if (given === null || given === own) return null;
  const error = { code: -32_000, message: `Requests from pages of ${given} are not accepted.` };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 403 });
}

/** A stream begins before its call has ended: its status is decided with its first event, or the comment that keeps it alive. */
export async function waitForOutcome(response: Response): Promise<Response> {
  if (!response.body || response.headers.get("content-type") !== "text/event-stream") return response;
  const [waiting, sent] = response.body.tee();
  const reader = waiting.getReader();
  await reader.read();
  // It ends with the other half.
  void reader.cancel();
  return new Response(sent, response);
}

/** Each request has a server of its own. Without subscriptions, because nothing of a server changes while it lives. */
export function createHandler(factory: McpServerFactory, options: { maxSubscriptions?: number } = {}) {
  return createMcpHandler(factory, { maxRequestBodySize: MAX_BODY_BYTES, maxSubscriptions: 0, ...options });
}

/**
 * The key or grant of the Authorization header. One that this isolate does not know is verified now, a known one with the
 * operation that it calls: a call costs the round trips of the API. Throws its errors of authentication and plan.
 */
async function openCaller(
  request: Request,
  services: Services,
  platform: Platform,
  reject: Caller["reject"],
): Promise<Caller> {
  const authorization = request.headers.get("authorization") ?? "";
  const token = readToken(authorization || undefined);
  const { requestId, env } = services;
  const admit = ({ scope, permissions }: Credential) => {
    if (!scope.sandbox) requireLiveMode(env);
    return permissions;
  };
  const verify = async () =>
    admit(await readCredential(services.db, token, services.clock(), { id: "mcp", permission: null, resource: "mcp" }));
  const known = getCachedCredential(token);
  const permissions = known ? admit(known) : await verify();
  const verifyOrReject = () =>
    verify().catch((error: unknown) => {
      const refused = toApiError(error);
      if (refused) reject(toResponse(errorResponse(refused), requestId));
      throw error;
    });
  return {
    permissions,
    verify: known ? verifyOrReject : async () => permissions,
    reject,
    environment: {
      ...platform,
      requestId,
      origin: getPublicUrl(env),
      cdnUrl: env.CDN_URL,
      uploadOrigin: new URL(env.S3_ENDPOINT).origin,
      readAsset: (path) => readAsset(platform.env.ASSETS, path),
      token: authorization.replace(/^Bearer +/i, "").trim(),
    },
  };
}

async function readAsset(assets: unknown, path: string): Promise<string> {
  const file = await (assets as Fetcher).fetch(new URL(path, "http://assets"));
  if (!file.ok) throw new Error(`The static files have no ${path}: ${file.status}.`);
  return file.text();
}

function toReportedError(error: unknown, requestId: string): ApiError {
  const known = toApiError(error);
  if (known) return known;
  console.error(JSON.stringify({ request_id: requestId, level: "error", error: formatError(error) }));
  return apiError("internal_error", "An unexpected error occurred.");
}
