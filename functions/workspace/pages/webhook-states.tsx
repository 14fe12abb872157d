// The state of a webhook and of what it was sent, in words.
import type { FC } from "hono/jsx";
import type { ListedDelivery } from "../../../lib/queries/webhook-deliveries.ts";
import type { WebhookRow } from "../../../lib/queries/webhooks.ts";
import { hasAnsweredGone, toWarnedAt } from "../../../lib/shared/webhook-health.ts";
import { EVERY_TYPE } from "../../../lib/shared/webhook-secret.ts";
import { formatInstant } from "../format.ts";
import type { PageContext } from "../page.ts";

export const WebhookBadge: FC<{ webhook: WebhookRow }> = ({ webhook }) => {
  const { disabledAt, disabledReason, failingSince } = webhook;
  if (disabledAt) return <span class={`badge ${disabledReason === "failures" ? "failed" : ""}`}>disabled</span>;
  return failingSince ? <span class="badge pending">failing</span> : <span class="badge valid">enabled</span>;
};

/** Nothing for a webhook that works. */
export const WebhookProblem: FC<{ c: PageContext; webhook: WebhookRow }> = ({ c, webhook }) => {
  const { disabledAt, disabledReason, failingSince } = webhook;
  const format = (at: Date) => formatInstant(at, c.var.timeZone);
  if (disabledAt && disabledReason === "failures") {
    return (
      <p class="reason">
        Disabled {format(disabledAt)}:{" "}
        {hasAnsweredGone(failingSince, disabledAt)
          ? "it answered 410 Gone"
          : `every delivery failed for five days${failingSince ? `, since ${format(failingSince)}` : ""}`}
        . Repair the endpoint, enable the webhook, and replay what it missed.
      </p>
    );
  }
  if (disabledAt) {
    return (
      <p class="hint">
        Disabled {format(disabledAt)} by a person or an API key. It is sent nothing; what it misses can be replayed for
        30 days.
      </p>
    );
  }
  return failingSince ? (
    <p class="reason">
      Every delivery has failed since {format(failingSince)}. If that goes on until{" "}
      {format(toWarnedAt(failingSince, 100))}, the webhook is disabled.
    </p>
  ) : null;
};

export function describeTypes(types: readonly string[]): string {
  return types.includes(EVERY_TYPE) ? "All events" : types.join(", ");
}

type DeliveryStatus = ListedDelivery["status"];

export const DELIVERY_WORDS: Record<DeliveryStatus, string> = {
  pending: "Waiting",
  delivered: "Delivered",
  failed: "Given up",
  aborted: "Stopped by the receiver",
};

const TONES: Record<DeliveryStatus, string> = {
  pending: "pending",
  delivered: "valid",
  failed: "failed",
  aborted: "failed",
};

export const DeliveryBadge: FC<{ status: DeliveryStatus }> = ({ status }) => (
  <span class={`badge ${TONES[status]}`}>{DELIVERY_WORDS[status]}</span>
);

type Attempt = ListedDelivery["attempts"][number];

/** `HTTP 500 after 120 ms`. */
export function describeAttempt({ status, error, duration_ms }: Attempt): string {
  const duration = duration_ms < 1_000 ? `${duration_ms} ms` : `${(duration_ms / 1_000).toFixed(1)} s`;
  return status === null ? `No response after ${duration}: ${error}` : `HTTP ${status} after ${duration}`;
}

/** The newest first. */
export const Attempts: FC<{ attempts: readonly Attempt[]; timeZone: string }> = ({ attempts, timeZone }) => (
  <ol class="trace" reversed>
    {attempts.toReversed().map((attempt) => (
      <li>
        <time datetime={attempt.at}>{formatInstant(new Date(attempt.at), timeZone, { second: "2-digit" })}</time>
        <div>
          {describeAttempt(attempt)}
          {attempt.response_excerpt && <pre tabindex={0}>{attempt.response_excerpt}</pre>}
        </div>
      </li>
    ))}
  </ol>
);
