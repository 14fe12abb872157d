// Creates webhooks, rotates their secrets and replays events, for the requests of callers.
import { type ListedDelivery, type RequestedDelivery, replayEvents } from "../queries/webhook-deliveries.ts";
import { type findWebhookSecret, insertWebhook, MAX_WEBHOOKS, replaceWebhookSecret } from "../queries/webhooks.ts";
import type { ReadContext, RequestContext } from "../services/context.ts";
import { getForbiddenReason } from "../services/safe-fetch.ts";
import { DAY_MS } from "../shared/durations.ts";
import { type ApiError, apiError } from "../shared/errors.ts";
import { getKeptFrom, toMissingError } from "./feed.ts";
import { toWebhookResponse } from "./to-response.ts";
import { createWebhookSecret, openWebhookSecret, sealWebhookSecret } from "./webhook-secrets.ts";

/** A secret stays valid for this long after its rotation. */
const PREVIOUS_VALID_MS = DAY_MS;

/** Throws `invalid_payload` for a URL that events must not be sent to. Checked again before each request to it. */
export async function checkWebhookUrl(
  { env, resolveHost }: Pick<ReadContext, "env" | "resolveHost">,
  address: string | undefined,
): Promise<void> {
  if (address === undefined) return;
  const url = new URL(address);
  const isPlain = url.protocol !== "https:" && env.ENVIRONMENT !== "local";
  const reason = isPlain
    ? "Must be an https URL."
    : await getForbiddenReason({ resolveHost, allowedHosts: env.allowedHosts }, url);
  if (reason === null) return;
  throw apiError("invalid_payload", `The body is not valid: url: ${reason}`, {
    issues: { formErrors: [], fieldErrors: { url: [reason] } },
  });
}

interface WebhookRequest {
  url: string;
  types: string[];
  description?: string | null | undefined;
  secret?: string | undefined;
}

type WriteContext = Pick<RequestContext, "db" | "env" | "key" | "ids" | "now">;

/** Throws `too_many_webhooks`. */
export async function createWebhook(
  { db, env, key, actor, ids, now }: WriteContext & Pick<RequestContext, "actor">,
  request: WebhookRequest,
) {
  const id = ids();
  const secret = await sealWebhookSecret(env, id, request.secret ?? createWebhookSecret(env, ids()));
  const { url, types, description = null } = request;
  const stored = await insertWebhook(db, key.scope, {
    ...{ id, url, types, description, secret, createdAt: now },
    // What an app set up does not outlast the access that a person gave it.
    subscriberId: actor.kind === "grant" ? actor.id : null,
  });
  if (!stored) {
    const message = `There are ${MAX_WEBHOOKS} webhooks, the maximum. Delete one, or let one webhook have more types.`;
    throw apiError("too_many_webhooks", message);
  }
  return { ...toWebhookResponse(stored), secret: await openWebhookSecret(env, id, stored.secret) };
}

/** The webhook as a rotation reads it. */
export type RotatedWebhook = Awaited<ReturnType<typeof findWebhookSecret>>;

/** A retry of the request finds the secret that it has stored, and keeps the one before it. Throws `not_found`. */
export async function rotateSecret(
  { db, env, key, ids, now }: WriteContext,
  found: RotatedWebhook,
  wanted: string | undefined,
): Promise<{ id: string; secret: string; previous_secret_until: Date }> {
  if (!found) throw webhookNotFound();
  const { id } = found;
  const secret = wanted ?? createWebhookSecret(env, ids());
  const isStored = (await openWebhookSecret(env, id, found.secret)) === secret;
  // No secret was there before the first one.
  if (isStored) return { id, secret, previous_secret_until: found.previousSecretUntil ?? now };
  const previousUntil = new Date(now.getTime() + PREVIOUS_VALID_MS);
  const sealed = await sealWebhookSecret(env, id, secret);
  const isReplaced = await replaceWebhookSecret(db, key.scope, id, { sealed, previousUntil, now });
  if (!isReplaced) throw webhookNotFound();
  return { id, secret, previous_secret_until: previousUntil };
}

export function webhookNotFound(): ApiError {
  return apiError("not_found", "No webhook with this id is visible to the key.");
}

/** Events of one request; the caller continues with `next_after`. */
const MAX_REPLAYED = 5_000;

/** Throws `not_found`, `webhook_disabled`, and the errors of an event that is not in the feed. */
export async function replayWebhook(
  { db, key, now, enqueueWebhooks }: Pick<RequestContext, "db" | "key" | "now" | "enqueueWebhooks">,
  webhookId: string,
  after: { id: string; sequence: number } | null,
): Promise<{ replayed: number; next_after: string | null; has_more: boolean }> {
  const request = { after, keptFrom: getKeptFrom(now), limit: MAX_REPLAYED, now };
  const found = await replayEvents(db, key.scope, webhookId, request);
  if (!found) throw webhookNotFound();
  const { isDisabled, isAfterKept, oldestId, replayed, lastId, hasMore } = found;
  if (isDisabled) throw webhookDisabledError();
  if (after && !isAfterKept) throw toMissingError(after.id, now, oldestId, "invalid_payload");
  if (replayed > 0) enqueueWebhooks({ webhookIds: [webhookId] }, 0);
  return { replayed, next_after: lastId ?? after?.id ?? null, has_more: hasMore };
}

/** Throws `not_found` and `webhook_disabled`. */
export function requireRequestedDelivery(found: RequestedDelivery | null): ListedDelivery {
  if (!found) throw webhookNotFound();
  if (found.isDisabled) throw webhookDisabledError();
  if (!found.delivery) throw apiError("not_found", "The webhook has no delivery with this id.");
  return found.delivery;
}

/** Deliveries of a disabled webhook would wait. */
function webhookDisabledError(): ApiError {
  return apiError("webhook_disabled", 'The webhook is disabled. Enable it first: PATCH it with {"status": "enabled"}.');
}
