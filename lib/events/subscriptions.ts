// Subscriptions of MCP Events: a client names a type of events, the accounts that it is about, and where they are sent to.
import stringify from "safe-stable-stringify";
import { deleteSubscription, findSubscription, saveSubscription } from "../queries/event-subscriptions.ts";
import { MAX_WEBHOOKS } from "../queries/webhooks.ts";
import type { RequestContext } from "../services/context.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { DAY_MS, MINUTE_MS } from "../shared/durations.ts";
import { apiError, toApiError } from "../shared/errors.ts";
import type { EventType } from "../shared/event-types.ts";
import { toSubscriptionId } from "./occurrence.ts";
import { verifyCallback } from "./verify-callback.ts";
import { checkWebhookUrl, replayWebhook } from "./webhook-requests.ts";
import { openWebhookSecret, sealWebhookSecret } from "./webhook-secrets.ts";

/** A client that asks for no end renews it at least this often. */
const TTL = { least: 5 * MINUTE_MS, byDefault: DAY_MS, most: 7 * DAY_MS } as const;
/** Requests that are on their way when a client changes the secret. */
const PREVIOUS_VALID_MS = 10 * MINUTE_MS;

export interface SubscriptionTarget {
  name: EventType;
  accountIds: readonly string[] | null;
  url: string;
}

interface SubscriptionRequest extends SubscriptionTarget {
  secret: string;
  /** The last event that the client has kept. */
  cursor: { id: string; sequence: number } | null;
  /** Null: no end. */
  ttlMs: number | null | undefined;
}

type SubscribeContext = Pick<
  RequestContext,
  "db" | "env" | "key" | "now" | "actor" | "fetch" | "resolveHost" | "clock" | "enqueueWebhooks"
>;

/** The same client, name, arguments and URL are the same subscription. */
function toWebhookId(subscriberId: string, { name, accountIds, url }: SubscriptionTarget): string {
  const hash = sha256Hex(stringify([subscriberId, url, name, accountIds?.toSorted() ?? null]) ?? "");
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join("-");
}

/** Throws `invalid_payload` (with a `reason` when the URL did not confirm), `too_many_webhooks` and errors of the cursor. */
export async function subscribeToEvents(context: SubscribeContext, request: SubscriptionRequest) {
  const { db, env, key, now, actor } = context;
  const { name, url, secret, ttlMs } = request;
  await checkWebhookUrl(context, url);
  const id = toWebhookId(actor.id, request);
  const found = await findSubscription(db, key.scope, { id, subscriberId: actor.id, url }, now);
  if (!found.isVerified) await verifyCallback(context, { webhookId: id, url, secret });
  const ttl = ttlMs === undefined ? TTL.byDefault : Math.min(Math.max(ttlMs ?? TTL.most, TTL.least), TTL.most);
  const expiresAt = new Date(now.getTime() + ttl);
  const isRotated = found.secret !== null && (await openWebhookSecret(env, id, found.secret)) !== secret;
  const isSaved = await saveSubscription(db, key.scope, {
    ...{ id, subscriberId: actor.id, url, type: name, expiresAt, now },
    accountIds: request.accountIds ?? key.scope.accountIds ?? null,
    description: `Subscription to ${name} of an agent`,
    secret: await sealWebhookSecret(env, id, secret),
    previous:
      isRotated && found.secret ? { secret: found.secret, until: new Date(now.getTime() + PREVIOUS_VALID_MS) } : null,
  });
  if (!isSaved) {
    throw apiError("too_many_webhooks", `There are ${MAX_WEBHOOKS} webhooks and subscriptions, the maximum.`);
  }
  const isNew = found.secret === null;
  const replayed = isNew && request.cursor ? await replay(context, id, request.cursor) : null;
  if (found.isDisabled) context.enqueueWebhooks({ webhookIds: [id] }, 0);
  return {
    id: toSubscriptionId(id),
    refreshBefore: expiresAt,
    // While something is on its way, what the client has kept is the only position that is safe.
    cursor: found.hasOpen || replayed?.isBehind ? (request.cursor?.id ?? null) : found.endId,
    truncated: replayed?.isTruncated ?? false,
    ...(isNew ? {} : { deliveryStatus: { active: !found.isDisabled } }),
  };
}

/** A cursor whose event is no longer kept begins with the oldest that is. */
async function replay(context: SubscribeContext, id: string, cursor: { id: string; sequence: number }) {
  try {
    const { replayed } = await replayWebhook(context, id, cursor);
    return { isBehind: replayed > 0, isTruncated: false };
  } catch (error) {
    if (!toApiError(error)) throw error;
    const { replayed } = await replayWebhook(context, id, null);
    return { isBehind: replayed > 0, isTruncated: true };
  }
}

/** Throws `not_found`. */
export async function unsubscribeFromEvents(
  { db, key, actor }: Pick<RequestContext, "db" | "key" | "actor">,
  target: SubscriptionTarget,
): Promise<void> {
  const id = toWebhookId(actor.id, target);
  const isDeleted = await deleteSubscription(db, key.scope, { id, subscriberId: actor.id });
  if (!isDeleted) throw apiError("not_found", "This client has no such subscription.");
}
