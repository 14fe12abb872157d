// The steps of a request to an endpoint. Errors are reported in this order: token, plan, path, idempotency key, query,
// body, claim, rate limits, handler. Reads, the claim and the rate limits start at once, and are undone if the key is rejected.
import { isRead, sendTogether } from "../queries/read.ts";
import { openServices, type Services } from "../services/context.ts";
import { openSandboxServices } from "../services/sandbox.ts";
import type { Actor, InternalActor } from "../shared/actor.ts";
import { apiError, toApiError } from "../shared/errors.ts";
import { formatError, summarizeError } from "../shared/format-error.ts";
import { createIdGenerator } from "../shared/ids.ts";
import { hasPermission } from "../shared/permissions.ts";
import { buildPolicyHeaders } from "../shared/rate-limit-headers.ts";
import { type Result, toResult, unwrap } from "../shared/result.ts";
import { getCachedCredential, readCredential, readToken, requireLiveMode, verifyInternal } from "./auth.ts";
import type { AnySpec, CustomResponse } from "./endpoint-spec.ts";
import { enqueueEvents } from "./enqueue-events.ts";
import { type ApiResponse, errorResponse, readRequestId, successResponse, toResponse } from "./envelope.ts";
import { locateJsonError, toReportedError } from "./error-mapping.ts";
import { type OwnedClaim, type StoredResponse, withClaimHeartbeat } from "./idempotency.ts";
import type { PipelineContext, PipelineStep, VerifiedCaller } from "./pipeline-state.ts";
import { listPolicyHeaders, type RateLimitResult } from "./rate-limits.ts";
import { getRequestActor, getRequestResource, toCredential, toKeyActor } from "./request-actor.ts";
import { buildContext, type ExecutionContext } from "./request-context.ts";
import { consumeLimits, peekLimits, refundLimits } from "./request-limits.ts";
import { logRequest } from "./request-log.ts";
import { beginRequest } from "./request-writer.ts";
import { claimRequest, getLeaseMs, settleClaim } from "./settle-claim.ts";

/** Opens the services of one request, and logs the request once its response is known. */
export function openRequest(id: string, route: string): PipelineStep {
  return async (c, next) => {
    const startedAt = Date.now();
    c.set("requestId", readRequestId(c.req.header("x-request-id")));
    c.set("keyName", "-");
    c.set("operation", id);
    c.set("headers", {});
    const services = openRequestServices(c);
    c.set("services", services);
    c.set("now", services.clock());
    beginRequest(services);
    await next();
    logRequest(c, { id, route, ms: Date.now() - startedAt });
  };
}

/** The log names the setting that is missing or malformed; a caller learns only that it is not their fault. */
function openRequestServices(c: PipelineContext): Services {
  try {
    return openServices(c.env, c.get("requestId"), (work) => c.executionCtx.waitUntil(work));
  } catch (error) {
    const line = { request_id: c.get("requestId"), level: "error", configuration: (error as Error).message };
    console.error(JSON.stringify(line));
    throw apiError("internal_error", "The service is not configured. Its operator finds the reason in the log.");
  }
}

/**
 * Verifies the key and its plan. Waits for the result only if this isolate has not verified the key before; otherwise the
 * request continues meanwhile, and what the endpoint loads is sent together with the verification.
 */
export function authenticate(spec: AnySpec): PipelineStep {
  return async (c, next) => {
    const { limits, ownLimit } = spec;
    if (limits) c.set("headers", listPolicyHeaders(limits));
    if (ownLimit) c.set("headers", buildPolicyHeaders([ownLimit.getPolicy(c.get("services").env)]));
    const internal = getRequestActor(c.req.raw);
    if (internal) {
      setCaller(c, internal);
      c.set("authentication", toResult(permitInternal(spec, c, internal)));
      return next();
    }
    const token = readToken(c.req.header("authorization"));
    c.set("keyName", token.publicId);
    const known = getCachedCredential(token);
    // A key that lacks the permission does no work before its verification.
    const cached = known && hasPermission(known.permissions, spec.permission) ? known : null;
    c.set(
      "verification",
      readCredential(c.get("services").db, token, c.get("now"), {
        ...spec,
        id: c.get("operation"),
        resource: getRequestResource(c.req.raw),
      }),
    );
    if (!cached || !spec.load) getAuthentication(c);
    setCaller(c, toKeyActor(cached ?? unwrap(await getAuthentication(c))));
    await next();
  };
}

async function permitInternal(spec: AnySpec, c: PipelineContext, actor: InternalActor): Promise<VerifiedCaller> {
  verifyInternal(actor, c.get("now"), spec);
  // Unknown without another read; the consumer of the message finds out.
  return { ...toCredential(actor), hasWebhooks: true };
}

function setCaller(c: PipelineContext, actor: Actor): void {
  const credential = toCredential(actor);
  c.set("actor", actor);
  c.set("credential", credential);
  c.set("keyName", credential.publicId);
  const { sandbox } = credential.scope;
  const services = c.get("services");
  if (sandbox) c.set("services", openSandboxServices(services, sandbox));
  else requireLiveMode(services.env);
}

/** Runs a validated request: starts all work at once, then reports the first error in the order above. */
export async function runRequest(spec: AnySpec, c: PipelineContext): Promise<Response> {
  c.set("isValid", true);
  const services = c.get("services");
  const idempotencyKey = c.get("idempotencyKey");
  const seed = crypto.randomUUID();
  const context = buildContext(spec, c, seed);
  const claiming = toResult(claimRequest(spec, c, seed));
  const consuming = toResult(consumeLimits(spec, { ...context, now: context.receivedAt }, spec.costs?.(context) ?? {}));
  const peeking = peekOwnLimit(spec, c);
  const early = toResult(startLoading(spec, c, context, consuming));
  const authentication = getAuthentication(c);
  // Without an idempotency key a rejected caller gets the error at once; the limits are refunded in the background.
  if (!idempotencyKey && !(await authentication).ok) services.waitUntil(refundLimits(consuming));
  if (!idempotencyKey) unwrap(await authentication);
  const [authenticated, claimed, consumed, loaded] = await Promise.all([authentication, claiming, consuming, early]);
  if (authenticated.ok && consumed.ok && consumed.value) c.set("headers", consumed.value.headers);
  if (authenticated.ok) addHeaders(c, await peeking);

  const claim = claimed.ok && claimed.value?.state === "owned" ? claimed.value : null;
  const work = settleClaim(services, claim, async () => {
    unwrap(authenticated);
    const existing = unwrap(claimed);
    if (existing?.state === "replay") return toReplayedResponse(existing.response);
    const limitError = unwrap(consumed)?.error;
    if (limitError) throw limitError;
    const result = unwrap(loaded);
    return toSuccessResponse(spec, runsEarly(spec) ? result : await runHandler(spec, context, claim, result));
  });
  const response = await work
    .catch((error: unknown) => {
      if (REFUNDED_STATUSES.includes(toApiError(error)?.status ?? 0)) services.waitUntil(refundLimits(consuming));
      throw error;
    })
    // A write that ends with an error may have written events before.
    .finally(() => enqueueEvents(spec, services, authenticated));
  return sendResponse(c, response);
}

/** Without Redis the response has the policy alone. */
async function peekOwnLimit({ ownLimit }: Pick<AnySpec, "ownLimit">, c: PipelineContext) {
  if (!ownLimit?.peek) return {};
  const { services, credential, now } = c.var;
  return ownLimit.peek({ ...services, key: credential, receivedAt: now }).catch(() => ({}));
}

function addHeaders(c: PipelineContext, headers: Record<string, string>): void {
  c.set("headers", { ...c.get("headers"), ...headers });
}

/** A caller who is not authenticated, paid for or permitted consumes nothing. */
const REFUNDED_STATUSES = [401, 402, 403];

/** Starts what may run before the caller is accepted: the `load` of the endpoint, or all of a GET that writes nothing. */
async function startLoading(
  spec: AnySpec,
  c: PipelineContext,
  context: ExecutionContext,
  consuming: Promise<Result<RateLimitResult | null>>,
): Promise<unknown> {
  if (runsEarly(spec)) return spec.handle(context, undefined);
  const loading = spec.load?.(gateFetch(context, c, consuming));
  if (!isRead(loading) || c.get("authentication")) return loading;
  const sent = sendTogether(c.get("services").db, c.get("verification"), loading);
  c.set(
    "authentication",
    sent.then(([authenticated]) => authenticated),
  );
  return unwrap((await sent)[1]);
}

/** The verification of the caller; it is sent alone if it was not sent yet. */
function getAuthentication(c: PipelineContext): Promise<Result<VerifiedCaller>> {
  const started = c.get("authentication") ?? toResult<VerifiedCaller>(c.get("verification"));
  c.set("authentication", started);
  return started;
}

/** Outside URLs are fetched, and their hosts looked up, only for an authenticated caller within its limits. */
function gateFetch(
  context: ExecutionContext,
  c: PipelineContext,
  consuming: Promise<Result<RateLimitResult | null>>,
): ExecutionContext {
  const pass = async () => {
    unwrap(await getAuthentication(c));
    const limitError = unwrap(await consuming)?.error;
    if (limitError) throw limitError;
  };
  return {
    ...context,
    // Without a transaction that names the actor: it changes nothing.
    db: c.get("services").db,
    fetch: async (input, init) => pass().then(() => context.fetch(input, init)),
    resolveHost: async (host) => pass().then(() => context.resolveHost(host)),
  };
}

/** A GET without limits writes nothing, so a handler that loads nothing may run before the key is verified. */
function runsEarly(spec: AnySpec): boolean {
  return spec.route.startsWith("GET ") && spec.limits === undefined && !spec.load;
}

function runHandler(
  spec: AnySpec,
  context: ExecutionContext,
  claim: OwnedClaim | null,
  loaded: unknown,
): Promise<unknown> {
  // The claim keeps the seed of the first execution, so that a retry makes the same ids and finds what that one wrote.
  const ids = claim ? createIdGenerator(claim.seed, claim.startedAt) : context.ids;
  const work = () => spec.handle({ ...context, ids }, loaded);
  return claim && spec.heartbeat ? withClaimHeartbeat(claim, getLeaseMs(spec), context.live ?? context, work) : work();
}

function toSuccessResponse(spec: AnySpec, result: unknown): ApiResponse {
  const isCustom = typeof result === "object" && result !== null && "custom" in result;
  const { custom, data } = isCustom ? (result as CustomResponse<unknown>) : { custom: null, data: result };
  const response = successResponse(
    custom?.status ?? spec.status ?? 200,
    custom?.message ?? spec.message,
    spec.reply.parse(data),
  );
  return { ...response, headers: { ...response.headers, ...custom?.headers } };
}

function toReplayedResponse(stored: StoredResponse): ApiResponse {
  return { ...stored, headers: { "Idempotent-Replayed": "true" } };
}

/** The error response; `internalError` is the code of an unexpected error. */
export async function sendError(
  spec: Pick<AnySpec, "internalError" | "limits" | "ownLimit">,
  error: unknown,
  c: PipelineContext,
): Promise<Response> {
  const located = await locateJsonError(error, () => c.req.text());
  const first = c.var.isValid ? located : await selectFirstError(spec, located, c);
  const reported = toReportedError(first, spec.internalError, c.var.requestId);
  c.set("failure", reported);
  const problem = reported.status >= 500 ? describeProblem(first) : null;
  if (problem !== null) c.var.services?.log({ level: "error", error: problem });
  return sendResponse(c, errorResponse(reported));
}

/** An addition to the log line of the request: the stack of an unexpected error, the cause of one that is returned with its reason. */
function describeProblem(error: unknown): string | null {
  const known = toApiError(error);
  if (!known) return formatError(error);
  return known.cause === undefined ? null : `${known.code}: ${known.message} Cause: ${summarizeError(known.cause)}`;
}

/** An invalid request is reported only to an authenticated caller, together with the remaining quota of its limits. */
async function selectFirstError(
  { limits, ownLimit }: Pick<AnySpec, "limits" | "ownLimit">,
  error: unknown,
  c: PipelineContext,
): Promise<unknown> {
  const { services, credential, actor, now } = c.var;
  // Without a credential the error is one of authentication, or of the settings.
  if (!credential) return error;
  const authenticated = await getAuthentication(c);
  if (!authenticated.ok) return authenticated.error;
  // Without Redis the error is reported without the quota.
  const peeked = limits && (await toResult(peekLimits(limits, { redis: services.redis, actor, now })));
  addHeaders(c, peeked?.ok ? peeked.value : await peekOwnLimit({ ownLimit }, c));
  return error;
}

export function sendResponse(c: PipelineContext, response: ApiResponse): Response {
  const headers = { ...c.get("headers"), ...response.headers };
  return toResponse({ ...response, headers }, c.get("requestId"));
}
