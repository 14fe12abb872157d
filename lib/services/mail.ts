// Mail by HTTP, in the form of Resend's API: https://resend.com/docs/api-reference/emails/send-email, read 2026-11-24.
import { apiError, unavailableError } from "../shared/errors.ts";
import { toSingleLine } from "../shared/single-line.ts";
import type { Services } from "./context.ts";
import { withTimeout } from "./timeout.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** A mail with the same key is sent once within 24 hours: https://resend.com/docs/dashboard/emails/idempotency-keys, read 2026-11-24. */
  idempotencyKey: string;
  /** Of the mail itself. */
  headers?: Record<string, string>;
}

const TIMEOUT_MS = 10_000;

/** Throws 503 when the service is not configured. */
export function requireMailSettings({ MAIL_API_URL, MAIL_API_KEY, MAIL_FROM }: Services["env"]) {
  if (!MAIL_API_KEY || !MAIL_FROM) {
    throw apiError("provider_unavailable", "No mail service is configured: set MAIL_API_KEY and MAIL_FROM.");
  }
  return { MAIL_API_URL, MAIL_API_KEY, MAIL_FROM };
}

/** Throws 503 when the service is not configured or does not accept the mail. */
export async function sendMail({ env, fetch }: Pick<Services, "env" | "fetch">, mail: Mail): Promise<void> {
  const { MAIL_API_URL, MAIL_API_KEY, MAIL_FROM } = requireMailSettings(env);
  const { to, subject, text, idempotencyKey, headers } = mail;
  const send = async (signal: AbortSignal) => {
    const response = await fetch(`${MAIL_API_URL.replace(/\/+$/, "")}/emails`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${MAIL_API_KEY}`,
        "Content-Type": "application/json",
        "Idempotency-Key": idempotencyKey,
      },
      body: JSON.stringify({
        from: MAIL_FROM,
        to: [to],
        subject: toSingleLine(subject),
        text,
        ...(headers ? { headers } : {}),
      }),
      signal,
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
  };
  await withTimeout(TIMEOUT_MS, send).catch((error: unknown) => {
    throw unavailableError("mail service", error);
  });
}
