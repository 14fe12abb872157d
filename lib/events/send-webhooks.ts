// Sends due deliveries: one invocation for one webhook, a few requests at a time, until none is due or the limits are reached.
import { MAX_CLAIMS } from "../jobs/backoff.ts";
import { enqueueDue } from "../jobs/enqueue.ts";
import { type JobEnd, runJobs } from "../jobs/run-jobs.ts";
import {
  type AttemptOutcome,
  type ClaimedWebhookDelivery,
  claimWebhookDeliveries,
  listDueWebhooks,
  recordWebhookAttempt,
  type SendingWebhook,
} from "../queries/webhook-claims.ts";
import type { Services } from "../services/context.ts";
import { DISABLED_AFTER_MS } from "../shared/webhook-health.ts";
import { REFUSALS, SUBSCRIPTION_RETRIED_FOR_MS, toSubscriptionHeader } from "./occurrence.ts";
import { postWebhook, type WebhookResponse } from "./post-webhook.ts";
import { buildWebhookBody } from "./webhook-body.ts";
import { findNextAttempt } from "./webhook-schedule.ts";
import { openWebhookSecret, signWebhook } from "./webhook-secrets.ts";

type SendServices = Pick<
  Services,
  "db" | "env" | "clock" | "budget" | "log" | "fetch" | "resolveHost" | "enqueueWebhooks" | "sandbox"
>;

/** Requests of an invocation at a time, below the six connections that it may have open. */
const MAX_CONCURRENT = 4;

/** Of one webhook, over all invocations: four of them; one while it fails, so that a dead server occupies no more. */
const MAX_HELD = { healthy: 4 * MAX_CONCURRENT, failing: MAX_CONCURRENT } as const;

/** Longer than a request may take, with the statements around it. */
const LEASE_MS = 60_000;

/** Disables the webhook: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, read 2026-11-30. */
const GONE = 410;

/** Limits of one invocation; the rest is enqueued again. */
const MAX_CLAIMS_PER_RUN = 400;
const TIME_BUDGET_MS = 60_000;

/** Finds the webhooks of a scope with due deliveries, sends to the first and leaves each other to an invocation of its own. */
export async function sendDueOfScope(services: SendServices, scopeId: string): Promise<void> {
  const now = services.clock();
  const [first, ...others] = await listDueWebhooks(services.db, { scopeId, now, mostHeld: MAX_HELD.healthy });
  if (others.length > 0) services.enqueueWebhooks({ webhookIds: others }, 0);
  if (first !== undefined) await sendDue(services, first);
}

interface Job {
  webhook: SendingWebhook;
  delivery: ClaimedWebhookDelivery;
}

export async function sendDue(services: SendServices, webhookId: string): Promise<void> {
  const startedAt = services.clock().getTime();
  const enqueueRetry = createRetryEnqueuer(services, webhookId);
  let claims = 0;
  /** Others hold so many deliveries that this one could not claim more: each that ends makes room for another. */
  let isLimited = false;

  await runJobs<Job>(services, {
    name: "webhook",
    concurrency: MAX_CONCURRENT,
    maxClaims: MAX_CLAIMS_PER_RUN,
    maxMs: TIME_BUDGET_MS,
    getId: ({ delivery }) => delivery.id,
    countClaims: ({ delivery }) => delivery.claims,

    async claim(limit) {
      const now = services.clock();
      const lease = { leaseToken: crypto.randomUUID(), leaseUntil: new Date(now.getTime() + LEASE_MS) };
      const claimed = await claimWebhookDeliveries(services.db, { webhookId, now, limit, most: MAX_HELD, ...lease });
      isLimited = claimed?.isLimited ?? false;
      if (!claimed) return [];
      claims += claimed.deliveries.length;
      return claimed.deliveries.map((delivery) => ({ webhook: claimed.webhook, delivery }));
    },

    async run(job) {
      const { end, retryAt } = await attemptWebhook(services, job);
      if (retryAt) enqueueRetry(retryAt);
      return { ...end, hasMadeDue: end.hasMadeDue === true || isLimited };
    },
  });
  const isStopped = claims >= MAX_CLAIMS_PER_RUN || services.clock().getTime() > startedAt + TIME_BUDGET_MS;
  if (isStopped) services.enqueueWebhooks({ webhookIds: [webhookId] }, 0);
}

/** A message sends all that is due, so deliveries of one second share one. */
function createRetryEnqueuer(services: SendServices, webhookId: string): (at: Date) => void {
  const enqueued = new Set<number>();
  return (at) => {
    const second = Math.ceil(at.getTime() / 1000);
    if (enqueued.has(second)) return;
    enqueued.add(second);
    const enqueue = (webhookIds: string[], delaySeconds: number) =>
      services.enqueueWebhooks({ webhookIds }, delaySeconds);
    enqueueDue(enqueue, [{ id: webhookId, dueAt: new Date(second * 1000) }], services.clock());
  };
}

/** When the outcome cannot be stored, the lease ends by itself and the event is sent again. */
async function attemptWebhook(
  services: SendServices,
  { webhook, delivery }: Job,
): Promise<{ end: JobEnd; retryAt: Date | null }> {
  const at = services.clock();
  const response = await sendEvent(services, webhook, delivery, at);
  const now = services.clock();
  const outcome = decideOutcome(delivery, response, { at, now, isSubscription: webhook.isSubscription });
  const recorded = await recordWebhookAttempt(services.db, delivery, outcome, now);
  if (!recorded) return { end: { outcome: "lost" }, retryAt: null };
  // Other webhooks of the scope may be told of it.
  if (recorded.hasDisabled) services.enqueueWebhooks({ scopeIds: [webhook.scopeId] }, 0);
  const { status, nextAttemptAt } = outcome;
  const reason = response.error ?? (status === "delivered" ? null : `HTTP ${response.status}`);
  return {
    end: { outcome: status === "pending" ? "retry" : status, reason, hasMadeDue: recorded.hasReleased },
    retryAt: nextAttemptAt,
  };
}

/** An event that cannot be sent ends its delivery. */
interface EventResponse extends WebhookResponse {
  isFinal: boolean;
}

async function sendEvent(
  services: SendServices,
  webhook: SendingWebhook,
  delivery: ClaimedWebhookDelivery,
  at: Date,
): Promise<EventResponse> {
  if (delivery.claims > MAX_CLAIMS.alone) return unsendable("Sending was interrupted several times.");
  const body = buildWebhookBody(services, webhook, delivery);
  if (!body) return unsendable("The event is older than 30 days and no longer kept.");
  const { previousSecret, previousSecretUntil, secret } = webhook;
  const isPreviousValid = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > at;
  const sealed = [secret, ...(isPreviousValid ? [previousSecret] : [])];
  const secrets = await Promise.all(sealed.map((text) => openWebhookSecret(services.env, webhook.id, text)));
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "partner-api-webhooks/1",
    ...(webhook.isSubscription ? toSubscriptionHeader(webhook.id) : {}),
    ...(await signWebhook(secrets, { id: delivery.eventId, at, body })),
  };
  return { ...(await postWebhook(services, { url: webhook.url, headers, body })), isFinal: false };
}

const unsendable = (error: string): EventResponse => ({
  ...{ status: null, excerpt: null, error, isAbort: false, retryAt: undefined, isFinal: true },
});

function decideOutcome(
  { tries, attempts }: ClaimedWebhookDelivery,
  { status, excerpt, error, isAbort, retryAt: notBefore, isFinal }: EventResponse,
  { at, now, isSubscription }: { at: Date; now: Date; isSubscription: boolean },
): AttemptOutcome {
  const isDelivered = status !== null && status >= 200 && status <= 299;
  // A redelivery begins the schedule again.
  const first = tries > 0 ? attempts.at(-tries) : undefined;
  const beganAt = first ? new Date(first.at) : at;
  const retriedForMs = isSubscription ? SUBSCRIPTION_RETRIED_FOR_MS : undefined;
  const retryAt = findNextAttempt(tries + 1, beganAt, now, { notBefore, retriedForMs });
  const isRefused = isSubscription && status !== null && REFUSALS.includes(status);
  const isOver = isDelivered || isAbort || isFinal || isRefused || retryAt === null;
  const failed = isAbort ? ("aborted" as const) : isOver ? ("failed" as const) : ("pending" as const);
  const duration = now.getTime() - at.getTime();
  return {
    attempt: { at: at.toISOString(), status, duration_ms: duration, response_excerpt: excerpt, error },
    status: isDelivered ? "delivered" : failed,
    nextAttemptAt: isOver ? null : retryAt,
    isFailure: isAbort || isFinal || isRefused ? null : !isDelivered,
    disableFailingSince: status === GONE ? now : new Date(now.getTime() - DISABLED_AFTER_MS),
  };
}
