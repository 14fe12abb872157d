// Webhooks of the workspace: which there are and how they are, and a form for a new one.
import type { FC } from "hono/jsx";
import { listWebhooks, MAX_WEBHOOKS, type WebhookRow } from "../../../lib/queries/webhooks.ts";
import type { ApiError } from "../../../lib/shared/errors.ts";
import { EVERY_TYPE } from "../../../lib/shared/webhook-secret.ts";
import { ActionForm } from "../forms.tsx";
import { Empty, Layout, NoticeBox } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { hasRole } from "../session.ts";
import { type WebhookFields, WebhookForm } from "./webhook-form.tsx";
import { describeTypes, WebhookBadge, WebhookProblem } from "./webhook-states.tsx";

/** A form that the operation rejected. */
export interface Rejected {
  fields: WebhookFields;
  problem: string;
  status: ApiError["status"];
}

const EMPTY: WebhookFields = { url: "", types: [EVERY_TYPE], description: "" };

export async function showWebhooks(c: PageContext, rejected?: Rejected): Promise<Response> {
  const { services, workspace, origin } = c.var;
  const webhooks = await listWebhooks(services.db, workspace.actor.scope);
  const canWrite = hasRole(workspace.role, "admin");
  const page = (
    <Layout c={c} title="Webhooks" active="webhooks">
      <p class="lead">
        A webhook sends events to an address of yours as they happen, signed with a secret.{" "}
        <a href={`${origin}/docs`}>Open the reference</a>
      </p>
      {rejected && <NoticeBox notice={{ kind: "problem", text: rejected.problem }} />}
      {webhooks.length === 0 && !canWrite && (
        <Empty title="No webhooks yet">
          <p>An owner or an admin of {workspace.name} adds the first one here.</p>
        </Empty>
      )}
      {canWrite && webhooks.length < MAX_WEBHOOKS && (
        <details class="card" open={webhooks.length === 0 || rejected !== undefined}>
          <summary>Add a webhook</summary>
          <WebhookForm action={`/dashboard/${workspace.id}/webhooks`} fields={rejected?.fields ?? EMPTY}>
            Add the webhook
          </WebhookForm>
        </details>
      )}
      {canWrite && webhooks.length >= MAX_WEBHOOKS && (
        <p class="hint">There are {MAX_WEBHOOKS} webhooks, the maximum. Delete one to add another.</p>
      )}
      {webhooks.length > 0 && (
        <ul class="records">
          {webhooks.map((webhook) => (
            <WebhookRecord c={c} webhook={webhook} canWrite={canWrite} />
          ))}
        </ul>
      )}
    </Layout>
  );
  return c.html(page, rejected?.status ?? 200);
}

const WebhookRecord: FC<{ c: PageContext; webhook: WebhookRow; canWrite: boolean }> = ({ c, webhook, canWrite }) => {
  const path = `/dashboard/${c.var.workspace.id}/webhooks/${webhook.id}`;
  const isEnabled = webhook.disabledAt === null;
  return (
    <li class="card record">
      <div class="grow">
        <h2>
          <a href={path} data-deeper>
            {webhook.url}
          </a>{" "}
          <WebhookBadge webhook={webhook} />
        </h2>
        {webhook.description && <p>{webhook.description}</p>}
        <p class="hint">{describeTypes(webhook.types)}</p>
        <WebhookProblem c={c} webhook={webhook} />
      </div>
      {canWrite && (
        <div class="row">
          {isEnabled ? (
            <ActionForm action={`${path}/test`}>Send a test</ActionForm>
          ) : (
            <ActionForm action={`${path}/enable`}>Enable</ActionForm>
          )}
        </div>
      )}
    </li>
  );
};

export const webhookPages: Page[] = [
  { id: "webhooks.show", method: "GET", path: "/webhooks", role: "viewer", handle: (c) => showWebhooks(c) },
];
