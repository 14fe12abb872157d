// The actions on webhooks: each is an operation of the API.
import type * as z from "zod";
import type { Endpoint } from "../../../lib/http/endpoint-spec.ts";
import type { ExecutionInput } from "../../../lib/http/execute.ts";
import type { SecretRotated, WebhookCreated, WebhookReplayed } from "../../../lib/schemas/webhook.ts";
import { type ApiError, apiError, type ErrorCode, toApiError } from "../../../lib/shared/errors.ts";
import createWebhook from "../../webhooks/create.ts";
import deleteWebhook from "../../webhooks/delete.ts";
import redeliver from "../../webhooks/redeliver.ts";
import replay from "../../webhooks/replay.ts";
import rotateSecret from "../../webhooks/rotate-secret.ts";
import testWebhook from "../../webhooks/test.ts";
import updateWebhook from "../../webhooks/update.ts";
import type { Page, PageContext } from "../page.ts";
import { redirectWithNotice, runOperation } from "../run-operation.ts";
import { finishAction, PageError, requireId } from "../session.ts";
import { showWebhook } from "./webhook.tsx";
import { readFields, toBody, type WebhookFields } from "./webhook-form.tsx";
import { readAfter } from "./webhook-replay.tsx";
import { type Rejected, showWebhooks } from "./webhooks.tsx";

const ONCE = "Copy it now: it is not shown again.";

/** Errors whose message is for programs. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  webhook_disabled: "The webhook is disabled, so that nothing is sent. Enable it first.",
  events_expired: "Events are kept for 30 days, and this one is older. Choose a later one, or all.",
};

const FIELD_WORDS: Record<string, string> = { url: "Address", types: "Events", description: "What it is for" };

function toWords({ code, message, extra }: ApiError): string {
  const fields = Object.entries(extra.issues?.fieldErrors ?? {});
  const [field, [first] = []] = fields[0] ?? [];
  if (field === "after")
    return "There is no such event in this workspace. Copy its id from the events or the deliveries.";
  return WORDS[code] ?? (field && first ? `${FIELD_WORDS[field] ?? field}: ${first}` : message);
}

/** Runs an operation of one webhook; its errors are in words for people. */
async function run<Data>(c: PageContext, endpoint: Endpoint, input: Omit<ExecutionInput, "query">): Promise<Data> {
  try {
    return await runOperation<Data>(c, endpoint, input);
  } catch (error) {
    const known = toApiError(error);
    if (known?.code === "not_found")
      throw new PageError(404, "There is no such webhook or delivery in this workspace.");
    throw known && known.status < 500 ? apiError(known.code, toWords(known), { cause: error }) : error;
  }
}

/** Saves the form, or shows it again with what is wrong with it. */
async function save(
  c: PageContext,
  show: (c: PageContext, rejected: Rejected) => Promise<Response>,
  work: (fields: WebhookFields) => Promise<Response>,
): Promise<Response> {
  const fields = readFields(await c.req.parseBody({ all: true }));
  try {
    return await work(fields);
  } catch (error) {
    const known = toApiError(error);
    if (!known || known.status >= 500) throw error;
    return show(c, { fields, problem: known.message, status: known.status });
  }
}

function create(c: PageContext): Promise<Response> {
  return save(c, showWebhooks, async (fields) => {
    const { id, secret } = await run<z.output<typeof WebhookCreated>>(c, createWebhook, { body: toBody(fields) });
    return finishAction(c, `webhooks/${id}`, `The webhook is added. This is the secret that signs. ${ONCE}`, secret);
  });
}

function update(c: PageContext): Promise<Response> {
  const webhookId = requireId(c, "webhookId", "webhook");
  return save(c, showWebhook, async (fields) => {
    await run(c, updateWebhook, { params: { webhookId }, body: toBody(fields) });
    return finishAction(c, `webhooks/${webhookId}`, "The webhook is changed.");
  });
}

/** An action that ends on the page of the webhook, with what `work` returned. */
function act(work: (c: PageContext, params: { webhookId: string }) => Promise<string>) {
  return (c: PageContext): Promise<Response> => {
    const webhookId = requireId(c, "webhookId", "webhook");
    return redirectWithNotice(c, `webhooks/${webhookId}`, () => work(c, { webhookId }));
  };
}

const enable = act(async (c, params) => {
  await run(c, updateWebhook, { params, body: { status: "enabled" } });
  return "The webhook is enabled. What it missed can be replayed.";
});

const disable = act(async (c, params) => {
  await run(c, updateWebhook, { params, body: { status: "disabled" } });
  return "The webhook is disabled: it is sent nothing.";
});

const sendTest = act(async (c, params) => {
  await run(c, testWebhook, { params });
  return "A test is sent now. What came back is below in a moment.";
});

const sendAgain = act(async (c, params) => {
  const deliveryId = requireId(c, "deliveryId", "delivery");
  await run(c, redeliver, { params: { ...params, deliveryId } });
  return "The event is sent again now.";
});

async function rotate(c: PageContext): Promise<Response> {
  const webhookId = requireId(c, "webhookId", "webhook");
  const { secret } = await run<z.output<typeof SecretRotated>>(c, rotateSecret, { params: { webhookId }, body: {} });
  const text = `This is the new secret. ${ONCE} The former one signs beside it for 24 hours.`;
  return finishAction(c, `webhooks/${webhookId}`, text, secret);
}

async function remove(c: PageContext): Promise<Response> {
  const webhookId = requireId(c, "webhookId", "webhook");
  await run(c, deleteWebhook, { params: { webhookId } });
  return finishAction(c, "webhooks", "The webhook is deleted. Nothing more is sent to it.");
}

async function replayEvents(c: PageContext): Promise<Response> {
  const webhookId = requireId(c, "webhookId", "webhook");
  const path = `webhooks/${webhookId}`;
  const body = { after: await readAfter(c) };
  try {
    const result = await run<z.output<typeof WebhookReplayed>>(c, replay, { params: { webhookId }, body });
    const { replayed, next_after, has_more } = result;
    const count = `${replayed.toLocaleString("en-GB")} ${replayed === 1 ? "event is" : "events are"} sent again now.`;
    // The form goes on from the last of them.
    if (has_more)
      return finishAction(c, `${path}?after=${next_after}#replay`, `${count} There are more: replay what came after.`);
    return finishAction(c, path, replayed === 0 ? "There is no later event of its types." : count);
  } catch (error) {
    return redirectWithNotice(c, path, () => Promise.reject(error));
  }
}

const ONE = "/webhooks/:webhookId";
const admin = { method: "POST", role: "admin" } as const;

export const webhookActions: Page[] = [
  { ...admin, id: "webhooks.create", path: "/webhooks", handle: create },
  { ...admin, id: "webhooks.update", path: ONE, handle: update },
  { ...admin, id: "webhooks.enable", path: `${ONE}/enable`, handle: enable },
  { ...admin, id: "webhooks.disable", path: `${ONE}/disable`, handle: disable },
  { ...admin, id: "webhooks.rotate-secret", path: `${ONE}/rotate-secret`, handle: rotate },
  { ...admin, id: "webhooks.test", path: `${ONE}/test`, handle: sendTest },
  { ...admin, id: "webhooks.replay", path: `${ONE}/replay`, handle: replayEvents },
  { ...admin, id: "webhooks.redeliver", path: `${ONE}/deliveries/:deliveryId/redeliver`, handle: sendAgain },
  { ...admin, id: "webhooks.delete", path: `${ONE}/delete`, handle: remove },
];
