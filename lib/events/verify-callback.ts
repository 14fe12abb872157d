// Asks the receiver of a subscription whether it wants to be one, before the first event: a URL that a client names may be another's.
import type { Services } from "../services/context.ts";
import { digestsMatch, sha256Hex } from "../shared/crypto.ts";
import { apiError } from "../shared/errors.ts";
import { parseJson } from "../shared/parse-json.ts";
import { toSubscriptionHeader } from "./occurrence.ts";
import { postWebhook, type WebhookResponse } from "./post-webhook.ts";
import { signWebhook } from "./webhook-secrets.ts";

type VerifyServices = Pick<Services, "fetch" | "resolveHost" | "env" | "clock">;

/** Throws `invalid_payload` with a `reason`, one of those of SEP-3415; never with what the receiver answered. */
export async function verifyCallback(
  services: VerifyServices,
  { webhookId, url, secret }: { webhookId: string; url: string; secret: string },
): Promise<void> {
  const challenge = crypto.randomUUID() + crypto.randomUUID();
  const body = Uint8Array.from(Buffer.from(JSON.stringify({ type: "verification", challenge })));
  const id = `msg_verification_${crypto.randomUUID()}`;
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "partner-api-webhooks/1",
    ...toSubscriptionHeader(webhookId),
    ...(await signWebhook([secret], { id, at: services.clock(), body })),
  };
  const reason = findProblem(await postWebhook(services, { url, headers, body }), challenge);
  if (reason === null) return;
  const message =
    "The URL did not confirm the subscription: it must answer the signed verification with its challenge.";
  throw apiError("invalid_payload", message, { details: { reason } });
}

function findProblem({ status, excerpt, error }: WebhookResponse, challenge: string): string | null {
  if (status === null) return error?.includes("in time") ? "timeout" : "connection_refused";
  if (status >= 500) return "http_5xx";
  if (status >= 300) return "http_4xx";
  return isEcho(excerpt ?? "", challenge) ? null : "challenge_failed";
}

function isEcho(text: string, challenge: string): boolean {
  const { challenge: echoed } = (parseJson(text) ?? {}) as { challenge?: unknown };
  return typeof echoed === "string" && digestsMatch(sha256Hex(echoed), sha256Hex(challenge));
}
