// Records what people get mails about: posts that failed, accounts that must be connected again within seven days, webhooks that fail.
import { ENDING_TOKENS, RECONNECT_SOON_MS } from "../platforms/token-lifetimes.ts";
import { listEndingAccounts } from "../queries/ending-accounts.ts";
import {
  deleteOldNotifications,
  insertFailureNotifications,
  insertReconnectNotifications,
  insertWebhookNotifications,
  type WebhookNote,
} from "../queries/notifications.ts";
import { listFailingWebhooks } from "../queries/webhooks.ts";
import type { Services } from "../services/context.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { DISABLED_AFTER_MS, toWarnedAt, WARNED_AT_PERCENT } from "../shared/webhook-health.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** A run reads events of this time: longer than cron is ever down. An event is noted once. */
const LOOKBACK_MS = 6 * HOUR_MS;
const MAX_FAILURES = 500;
const MAX_ACCOUNTS = 1_000;
const MAX_WEBHOOKS = 1_000;
const KEEP_MS = 90 * DAY_MS;

type Context = Pick<Services, "db" | "clock">;

export async function collectFailures({ db, clock }: Context): Promise<void> {
  await insertFailureNotifications(db, {
    since: new Date(clock().getTime() - LOOKBACK_MS),
    limit: MAX_FAILURES,
  });
}

export async function collectReconnects({ db, clock }: Context): Promise<void> {
  const now = clock();
  const until = new Date(now.getTime() + RECONNECT_SOON_MS);
  const ending = await listEndingAccounts(db, { from: now, until, tokens: ENDING_TOKENS, limit: MAX_ACCOUNTS });
  const rows = ending.map(({ id, scopeId, platform, username, end }) => {
    const { name } = PLATFORM_DETAILS[platform];
    const line = `${name} ${username}: the connection ends on ${formatDay(end)}. Connect the account again before that.`;
    return { aboutId: id, scopeId, occasion: end, line };
  });
  await insertReconnectNotifications(db, rows);
}

export async function collectWebhookFailures({ db, clock }: Context): Promise<void> {
  const now = clock();
  const warnings = WARNED_AT_PERCENT.map((percent) => ({
    percent,
    before: new Date(now.getTime() - (DISABLED_AFTER_MS * percent) / 100),
  }));
  const disabledAfter = new Date(now.getTime() - LOOKBACK_MS);
  const failing = await listFailingWebhooks(db, { warnings, disabledAfter, limit: MAX_WEBHOOKS });
  await insertWebhookNotifications(
    db,
    failing.map((webhook) => toNote(webhook, now)),
  );
}

type FailingWebhook = Awaited<ReturnType<typeof listFailingWebhooks>>[number];

function toNote({ id, scopeId, url, failingSince, disabledAt }: FailingWebhook, now: Date): WebhookNote {
  const since = `Webhook ${url}: every delivery has failed since ${formatDay(failingSince)}`;
  if (disabledAt) {
    const line = `${since}, so that it was disabled. Repair the endpoint, enable the webhook, and replay what it missed.`;
    return { kind: "webhook_disabled", aboutId: id, scopeId, occasion: disabledAt, line, percent: null };
  }
  // After a run that stood still, one mail tells of both.
  const percent = WARNED_AT_PERCENT.findLast((each) => toWarnedAt(failingSince, each) <= now) ?? null;
  const occasion = percent === null ? now : toWarnedAt(failingSince, percent);
  const line = `${since}. If that goes on until ${formatDay(toWarnedAt(failingSince, 100))}, it is disabled.`;
  return { kind: "webhook_failing", aboutId: id, scopeId, occasion, line, percent };
}

function formatDay(instant: Date): string {
  return instant.toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
}

export async function removeOld({ db, clock }: Context): Promise<void> {
  await deleteOldNotifications(db, new Date(clock().getTime() - KEEP_MS));
}
