// One webhook: its state, what may be done with it, and what it was sent.
import type { FC } from "hono/jsx";
import * as z from "zod";
import { readAll } from "../../../lib/queries/read.ts";
import { type ListedDelivery, listWebhookDeliveries } from "../../../lib/queries/webhook-deliveries.ts";
import { findWebhook, type WebhookRow } from "../../../lib/queries/webhooks.ts";
import { WebhookDeliveryQuery } from "../../../lib/schemas/webhook.ts";
import { formatInstant } from "../format.ts";
import { ActionForm } from "../forms.tsx";
import { Layout, NoticeBox } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { hasRole, PageError, requireId } from "../session.ts";
import { DeliveryList } from "./webhook-deliveries.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { ReplayForm } from "./webhook-replay.tsx";
import { describeTypes, WebhookBadge, WebhookProblem } from "./webhook-states.tsx";
import type { Rejected } from "./webhooks.tsx";

const PAGE_SIZE = 20;
/** A delivery whose next attempt is nearer is on its way. */
const SOON_MS = 60_000;

/** A value that does not fit is left out, so that an old link still opens the page. */
const Filter = z.object({
  status: WebhookDeliveryQuery.shape.status.catch(undefined),
  cursor: WebhookDeliveryQuery.shape.cursor.catch(undefined),
  /** The event after which to replay. */
  after: z.guid().optional().catch(undefined),
});

export async function showWebhook(c: PageContext, rejected?: Rejected): Promise<Response> {
  const { services, workspace } = c.var;
  const { scope } = workspace.actor;
  const id = requireId(c, "webhookId", "webhook");
  const { after, ...filter } = Filter.parse(c.req.query());
  const [webhook, page] = await readAll(services.db, [
    findWebhook(services.db, scope, id),
    listWebhookDeliveries(services.db, scope, id, { ...filter, limit: PAGE_SIZE }),
  ]);
  if (!webhook || !page) throw new PageError(404, "There is no such webhook in this workspace.");
  const canWrite = hasRole(workspace.role, "admin");
  const path = `/dashboard/${workspace.id}/webhooks/${id}`;
  const body = (
    <Layout
      c={c}
      title="Webhook"
      active="webhooks"
      scripts={["queue"]}
      actions={canWrite && <Actions webhook={webhook} path={path} />}
    >
      {rejected && <NoticeBox notice={{ kind: "problem", text: rejected.problem }} />}
      <Facts c={c} webhook={webhook} />
      {canWrite && (
        <>
          <details class="card" open={rejected !== undefined}>
            <summary>Change</summary>
            <WebhookForm
              action={path}
              fields={rejected?.fields ?? { ...webhook, description: webhook.description ?? "" }}
            >
              Save
            </WebhookForm>
          </details>
          {webhook.disabledAt === null && <ReplayForm c={c} path={path} after={after} />}
        </>
      )}
      <section>
        <h2>Deliveries</h2>
        <div id="live" data-interval={filter.cursor ? undefined : "3000"}>
          <DeliveryList
            c={c}
            path={path}
            {...page}
            status={filter.status}
            isMoving={page.deliveries.some((delivery) => isMoving(delivery, c.var.now))}
            canSend={canWrite && webhook.disabledAt === null}
          />
        </div>
      </section>
    </Layout>
  );
  return c.html(body, rejected?.status ?? 200);
}

function isMoving({ nextAttemptAt }: ListedDelivery, now: Date): boolean {
  return nextAttemptAt !== null && nextAttemptAt.getTime() < now.getTime() + SOON_MS;
}

const Facts: FC<{ c: PageContext; webhook: WebhookRow }> = ({ c, webhook }) => (
  <div class="card summary">
    <h2>
      <span>{webhook.url}</span> <WebhookBadge webhook={webhook} />
    </h2>
    {webhook.description && <p>{webhook.description}</p>}
    <WebhookProblem c={c} webhook={webhook} />
    <dl class="facts">
      <dt>Events</dt>
      <dd>{describeTypes(webhook.types)}</dd>
      <dt>Created</dt>
      <dd>{formatInstant(webhook.createdAt, c.var.timeZone)}</dd>
      <dt>Id</dt>
      <dd>{webhook.id}</dd>
    </dl>
  </div>
);

const Actions: FC<{ webhook: WebhookRow; path: string }> = ({ webhook: { url, disabledAt }, path }) => (
  <div class="row">
    {disabledAt ? (
      <ActionForm action={`${path}/enable`}>Enable</ActionForm>
    ) : (
      <>
        <ActionForm action={`${path}/test`}>Send a test</ActionForm>
        <ActionForm
          action={`${path}/disable`}
          question={`Disable the webhook to ${url}? It is sent nothing until it is enabled.`}
        >
          Disable
        </ActionForm>
      </>
    )}
    <ActionForm
      action={`${path}/rotate-secret`}
      question={`Replace the secret of the webhook to ${url}? You get a new one; the one of now signs beside it for 24 hours.`}
    >
      Rotate the secret
    </ActionForm>
    <ActionForm
      action={`${path}/delete`}
      question={`Delete the webhook to ${url}? What it was not sent yet is dropped, and its deliveries are no longer listed.`}
      buttonClass="danger"
    >
      Delete
    </ActionForm>
  </div>
);

export const webhookPage: Page = {
  id: "webhooks.show-one",
  method: "GET",
  path: "/webhooks/:webhookId",
  role: "viewer",
  handle: (c) => showWebhook(c),
};
