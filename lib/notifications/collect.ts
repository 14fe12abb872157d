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
import { DAY_MS, HOUR_MS } from "../shared/durations.ts";
import { PLATFORM_DETAILS } from "../shared/platforms.ts";
import { DISABLED_AFTER_MS, hasAnsweredGone, toWarnedAt, WARNED_AT_PERCENT } from "../shared/webhook-health.ts";

/** A run reads events of this time: longer than cron is ever down. An event is noted once. */
const LOOKBACK_MS = 6 * HOUR_MS;
const MAX_FAILURES = 500;
const ACCOUNTS_PER_PAGE = 1_000;
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
  let page: EndingAccount[] = [];
  do {
    const last = page.at(-1);
    const after = { from: last?.end ?? now, afterId: last?.id };
    page = await listEndingAccounts(db, { ...after, until, tokens: ENDING_TOKENS, limit: ACCOUNTS_PER_PAGE });
    await insertReconnectNotifications(db, page.map(toReconnectNote));
  } while (page.length === ACCOUNTS_PER_PAGE);
}

type EndingAccount = Awaited<ReturnType<typeof listEndingAccounts>>[number];

function toReconnectNote({ id, scopeId, platform, username, end }: EndingAccount) {
  const { name } = PLATFORM_DETAILS[platform];
  const line = `${name} ${username}: the connection ends on ${formatDay(end)}. Connect the account again before that.`;
  return { aboutId: id, scopeId, occasion: end, line };
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
    const reason = hasAnsweredGone(failingSince, disabledAt) ? `Webhook ${url} answered 410 Gone` : since;
    const line = `${reason}, so that it was disabled. Repair the endpoint, enable the webhook, and replay what it missed.`;
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
