// Webhooks at the receiver of the local stack, each on a path of its own, and events to send them.
import { sql } from "drizzle-orm";
import { Webhook as Verifier } from "standardwebhooks";
import { v7 as newId } from "uuid";
import { expect, inject } from "vitest";
import { sendDue } from "../../lib/events/send-webhooks.ts";
import type { Services } from "../../lib/services/context.ts";
import type { ReceivedRequest } from "../local/receiver.ts";
import {
  createTestAccount,
  createTestPublisher,
  openTestDatabase,
  type Tenant,
  type TestPublisher,
} from "../support/harness.ts";

export const RECEIVER = inject("receiver");

export interface TestWebhook {
  id: string;
  secret: string;
  /** At the receiver. */
  path: string;
}

export async function createTestWebhook(
  { api }: Pick<Tenant, "api">,
  { types = ["*"], ...fields }: { types?: string[]; description?: string; secret?: string } = {},
): Promise<TestWebhook> {
  const path = `/${newId()}`;
  const created = await api.post("/webhooks", { url: `${RECEIVER}${path}`, types, ...fields });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  return { id: created.body.data.id, secret: created.body.data.secret, path };
}

export async function listReceived({ path }: TestWebhook): Promise<ReceivedRequest[]> {
  const response = await fetch(`${RECEIVER}/_received?path=${path}`);
  return (await response.json()) as ReceivedRequest[];
}

interface Behavior {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  times?: number;
  stall_ms?: number;
  stall_body_ms?: number;
  drop?: boolean;
}

/** Scripts the next responses; once by default. */
export async function behave({ path }: TestWebhook, behavior: Behavior): Promise<void> {
  const response = await fetch(`${RECEIVER}/_behave`, { method: "POST", body: JSON.stringify({ path, ...behavior }) });
  expect(response.status).toBe(200);
}

export interface SentEvent {
  id: string;
  type: string;
  sequence: number;
  created_at: string;
  workspace_id: string | null;
  mode: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the type.
  data: { object: any; is_truncated?: boolean };
}

/** The event of a request whose signature is right for the secret; throws for any other. */
export function verify(secret: string, { body, headers }: ReceivedRequest): SentEvent {
  const event = new Verifier(secret).verify(body, headers) as SentEvent;
  expect(headers["webhook-id"]).toBe(event.id);
  return event;
}

/** A publisher whose clock is a little ahead, so that what is written now is due. */
export function createSender(change: Partial<Services> = {}): TestPublisher {
  return createTestPublisher(new Date(Date.now() + 1_000), change);
}

export const send = (sender: TestPublisher, webhook: TestWebhook): Promise<void> =>
  sendDue(sender.services, webhook.id);

/** Writes an event of an object of its own. */
export const writeEvent = (tenant: Tenant) => createTestAccount(tenant, "bluesky");

/** Writes one more event of an account: `account.disconnected`, then `account.connected`, and so on. */
export async function moveAccount(accountId: string): Promise<void> {
  await openTestDatabase().execute(sql`
    update accounts set status = case status when 'active' then 'disconnected' else 'active' end where id = ${accountId}`);
}

export interface ListedDelivery {
  id: string;
  event_id: string;
  type: string;
  status: string;
  attempts: {
    at: string;
    status: number | null;
    duration_ms: number;
    response_excerpt: string | null;
    error: string | null;
  }[];
  next_attempt_at: string | null;
}

/** The newest event first. */
export async function listDeliveries({ api }: Tenant, { id }: TestWebhook, query = ""): Promise<ListedDelivery[]> {
  const response = await api.get(`/webhooks/${id}/deliveries?limit=100${query}`);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return response.body.data.deliveries;
}
