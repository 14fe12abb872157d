// One delivery of a webhook: the body that was sent, and each attempt with what came back.
import { buildWebhookBody } from "../../../lib/events/webhook-body.ts";
import { findWebhookDelivery } from "../../../lib/queries/webhook-deliveries.ts";
import { readEventTime } from "../../../lib/shared/event-id.ts";
import { TEST_EVENT_TYPE } from "../../../lib/shared/event-types.ts";
import { formatInstant } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { hasRole, PageError, requireId } from "../session.ts";
import { Attempts, DeliveryBadge } from "./webhook-states.tsx";

async function showDelivery(c: PageContext): Promise<Response> {
  const { services, workspace, timeZone } = c.var;
  const [webhookId, deliveryId] = [requireId(c, "webhookId", "webhook"), requireId(c, "deliveryId", "delivery")];
  const found = await findWebhookDelivery(services.db, workspace.actor.scope, webhookId, deliveryId);
  if (!found) throw new PageError(404, "There is no such delivery: they are kept for 30 days.");
  const { webhook, delivery, event } = found;
  const { eventId, type, status, attempts, nextAttemptAt } = delivery;
  const body = buildWebhookBody(services, webhook, { ...delivery, event });
  const path = `/dashboard/${workspace.id}/webhooks/${webhookId}`;
  const canSend = hasRole(workspace.role, "admin") && webhook.disabledAt === null;
  return c.html(
    <Layout
      c={c}
      title="Delivery"
      active="webhooks"
      actions={canSend && <ActionForm action={`${path}/deliveries/${deliveryId}/redeliver`}>Send again</ActionForm>}
    >
      <p class="lead">
        To <a href={path}>{webhook.url}</a>
      </p>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <DeliveryBadge status={status} />
        </dd>
        <dt>Event</dt>
        <dd>
          <code>{type}</code>, {formatInstant(readEventTime(eventId), timeZone, { second: "2-digit" })}
        </dd>
        <dt>Id of the event</dt>
        <dd>{eventId}</dd>
        {nextAttemptAt && (
          <>
            <dt>Next attempt</dt>
            <dd>{formatInstant(nextAttemptAt, timeZone, { second: "2-digit" })}</dd>
          </>
        )}
      </dl>
      <section>
        <h2>What is sent</h2>
        {type === TEST_EVENT_TYPE && <p class="hint">A test tells of the webhook as it is when the test is sent.</p>}
        {body ? (
          <pre tabindex={0}>{JSON.stringify(JSON.parse(new TextDecoder().decode(body)), null, 2)}</pre>
        ) : (
          <p>The event is older than 30 days and no longer kept.</p>
        )}
      </section>
      <section>
        <h2>Attempts</h2>
        {attempts.length === 0 ? <p>None yet.</p> : <Attempts attempts={attempts} timeZone={timeZone} />}
      </section>
    </Layout>,
  );
}

export const webhookDeliveryPage: Page = {
  id: "webhooks.show-delivery",
  method: "GET",
  path: "/webhooks/:webhookId/deliveries/:deliveryId",
  role: "viewer",
  handle: showDelivery,
};
