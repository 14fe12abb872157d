// Callback of the hosted publisher: a delivery has news, so it is enqueued and its status is fetched now.
import { Hono } from "hono";
import * as z from "zod";
import { type ApiResponse, successResponse } from "../../lib/http/envelope.ts";
import { openRequest, sendError, sendResponse } from "../../lib/http/pipeline.ts";
import type { PipelineEnv } from "../../lib/http/pipeline-state.ts";
import { readText } from "../../lib/http/read-body.ts";
import { toIssues } from "../../lib/http/validation-errors.ts";
import { hasValidSignature } from "../../lib/platforms/hosted/signature.ts";
import { makeDeliveryDue } from "../../lib/queries/deliveries.ts";
import type { Services } from "../../lib/services/context.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { toFieldErrors } from "../../lib/shared/field-errors.ts";
import { HOSTED_CALLBACK_PATH } from "../../lib/shared/paths.ts";

const Body = z.strictObject({ delivery_id: z.guid() });

const callback = new Hono<PipelineEnv>();
callback.post(HOSTED_CALLBACK_PATH, openRequest("hosted.callback", `POST ${HOSTED_CALLBACK_PATH}`), async (c) =>
  sendResponse(c, await handleCallback(c.var.services, c.req.raw)),
);
callback.onError((error, c) => sendError({ internalError: "internal_error" }, error, c));

/** Authenticated by signature instead of a key. The callback carries no status; it is fetched from the hosted publisher. */
async function handleCallback(services: Services, request: Request): Promise<ApiResponse> {
  const { env, db } = services;
  if (!env.hostedPublisher)
    throw apiError("provider_unavailable", "No hosted publisher is configured on this service.");
  const text = await readText(request);
  const now = services.clock();
  const secrets = [env.hostedPublisher.clientSecret, env.HOSTED_FLEET_SECRET_PREVIOUS ?? []].flat();
  if (!hasValidSignature(secrets, request.headers, text, now)) {
    throw apiError(
      "invalid_signature",
      "X-Signature must sign X-Timestamp and the body, and X-Timestamp must be within 5 minutes of the current time.",
    );
  }
  const { delivery_id } = parseBody(text);
  const due = await makeDeliveryDue(db, delivery_id, now);
  if (due) services.enqueueDeliveries([delivery_id], 0, "confirmations");
  return successResponse(200, due ? "The delivery is checked now." : "No check is due for this delivery.", { due });
}

function parseBody(text: string): z.output<typeof Body> {
  const parsed = Body.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw apiError("invalid_payload", 'The body must be {"delivery_id": "<uuid>"}.', {
    issues: toIssues(toFieldErrors(parsed.error)),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export default callback;
