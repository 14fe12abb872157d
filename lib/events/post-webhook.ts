// The request to a webhook: guarded, never redirected, and over as soon as the status and the beginning of the body are known.
import type { Services } from "../services/context.ts";
import { describeFetchError, safeFetch } from "../services/safe-fetch.ts";
import { withTimeout } from "../services/timeout.ts";
import { isNotSent } from "../shared/not-sent.ts";
import { parseRetryAfter } from "../shared/retry-after.ts";

const TIMEOUT_MS = 15_000;
const EXCERPT_BYTES = 1024;
/** The status decides, so a body that comes slowly is left. */
const EXCERPT_MS = 1_000;

const ABORT_HEADER = { name: "webhook-delivery", value: "abort-message" } as const;

export interface WebhookResponse {
  /** Null without a response; `error` then says why. */
  status: number | null;
  excerpt: string | null;
  error: string | null;
  /** The receiver wants no further attempts. */
  isAbort: boolean;
  /** A receiver that is busy wants no attempt before. */
  retryAt: Date | undefined;
}

/** Statuses of a busy server: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, read 2026-11-30. */
const BUSY: readonly number[] = [429, 503];

type PostServices = Pick<Services, "fetch" | "resolveHost" | "env" | "clock">;

/** Throws only when this invocation may send no more requests. The host is looked up for each request, so that a moved name is seen. */
export async function postWebhook(
  { fetch, resolveHost, env, clock }: PostServices,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: Uint8Array<ArrayBuffer> },
): Promise<WebhookResponse> {
  const policy = { fetch, resolveHost, allowedHosts: env.allowedHosts };
  try {
    return await withTimeout(TIMEOUT_MS, async (signal) => {
      const sent = safeFetch(policy, url, { method: "POST", headers, body, redirect: "manual", signal });
      const response = await beforeAbort(sent, signal);
      const excerpt = await readExcerpt(response.body);
      const { status, headers: received } = response;
      const isAbort = received.get(ABORT_HEADER.name)?.trim().toLowerCase() === ABORT_HEADER.value;
      const retryAt = BUSY.includes(status) ? parseRetryAfter(received, clock()) : undefined;
      return { status, excerpt, error: null, isAbort, retryAt };
    });
  } catch (error) {
    if (isNotSent(error)) throw error;
    return { status: null, excerpt: null, error: describeFetchError(error), isAbort: false, retryAt: undefined };
  }
}

/** Looking up a host cannot be aborted. */
async function beforeAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

/** At most `EXCERPT_BYTES` of what arrives in `EXCERPT_MS`; null without a body. */
async function readExcerpt(body: ReadableStream<Uint8Array> | null): Promise<string | null> {
  if (!body) return null;
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), EXCERPT_MS);
  const parts: Uint8Array[] = [];
  try {
    for (let left = EXCERPT_BYTES; left > 0; ) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value.subarray(0, left));
      left -= value.byteLength;
    }
  } catch {
    // The connection broke: what arrived is the excerpt.
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
  // The database stores no NUL in texts.
  return new TextDecoder().decode(Buffer.concat(parts)).replaceAll("\0", "\ufffd");
}
