// Cron runs this each minute: it mails people about failed posts, failing webhooks, and accounts that must be connected again. Once
// an hour it deletes tokens of grants that ended.
import {
  collectFailures,
  collectReconnects,
  collectWebhookFailures,
  removeOld,
} from "../../lib/notifications/collect.ts";
import { sendNotifications } from "../../lib/notifications/send.ts";
import { removeEndedTokens } from "../../lib/oauth/cleanup.ts";
import { openServices } from "../../lib/services/context.ts";
import { formatError } from "../../lib/shared/format-error.ts";

/** Connections end in days, so they are checked once an hour, away from the full hour, when most posts are due. */
const HOURLY_MINUTE = 13;

export async function runCron(
  request: Request,
  env: Record<string, unknown>,
  ctx: ExecutionContext,
): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const services = openServices(env, `workspace-cron.${crypto.randomUUID()}`, (work) => ctx.waitUntil(work));
  const isHourly = services.clock().getUTCMinutes() === HOURLY_MINUTE;
  try {
    if (isHourly) await removeEndedTokens(services);
    if (!services.env.MAIL_API_KEY || !services.env.MAIL_FROM) return new Response(null, { status: 204 });
    await collectFailures(services);
    await collectWebhookFailures(services);
    if (isHourly) {
      await collectReconnects(services);
      await removeOld(services);
    }
    await sendNotifications(services);
    return new Response(null, { status: 204 });
  } catch (error) {
    services.log({ level: "error", error: formatError(error) });
    return new Response(null, { status: 500 });
  }
}
