// Objects of events that no other domain describes.
import type { toUploadRow } from "../queries/event-rows.ts";
import type { ListedDelivery } from "../queries/webhook-deliveries.ts";
import type { WebhookRow } from "../queries/webhooks.ts";

/** An upload that did not become a file, with the reason. */
export function toUploadResponse(upload: ReturnType<typeof toUploadRow>) {
  return {
    ...{ id: upload.id, contentType: upload.contentType, filename: upload.filename, size: upload.size },
    ...{ status: "rejected" as const, reason: upload.reason, createdAt: upload.createdAt },
  };
}

export function toWebhookResponse(webhook: WebhookRow) {
  const { id, url, types, description, disabledReason } = webhook;
  return {
    ...{ id, url, types, description },
    status: webhook.disabledAt ? ("disabled" as const) : ("enabled" as const),
    ...{ failing_since: webhook.failingSince, disabled_at: webhook.disabledAt, disabled_reason: disabledReason },
    ...{ created_at: webhook.createdAt, updated_at: webhook.updatedAt },
  };
}

export function toWebhookDelivery({ id, eventId, type, status, attempts, nextAttemptAt }: ListedDelivery) {
  return { id, event_id: eventId, type, status, attempts, next_attempt_at: nextAttemptAt };
}
