// Mails what was noted. A mail is assembled once, in the database; the mail service sends one with the same id once, so a
// run that ends between sending and marking leads to no second mail.
import { runJobs } from "../jobs/run-jobs.ts";
import {
  assembleMails,
  claimMails,
  listTimeZones,
  type MailedNotification,
  markMailSent,
} from "../queries/notifications.ts";
import type { Services } from "../services/context.ts";
import { getPublicUrl } from "../services/env.ts";
import { sendMail } from "../services/mail.ts";
import { HOUR_MS } from "../shared/durations.ts";
import { DEFAULT_SETTINGS } from "../shared/notifications.ts";
import { formatInstant, replaceInstants } from "../shared/shown-instant.ts";
import { addDays, findOccurrence, toDay, toInstant } from "../shared/time-zone.ts";
import { buildUnsubscribePath } from "./unsubscribe.ts";

const DAILY_AT = "08:00";
const MAX_PEOPLE = 200;
/** Mails per run, and at a time: an invocation may have six connections open. */
const MAX_MAILS = 50;
const PARALLEL_MAILS = 5;
const LEASE_MS = 5 * 60 * 1000;
/** The mail service remembers ids for 24 hours; https://resend.com/docs/dashboard/emails/idempotency-keys, read 2026-11-24. */
const GIVE_UP_MS = 20 * HOUR_MS;
const MAX_LINES = 50;

type Context = Pick<Services, "db" | "clock" | "env" | "fetch" | "log" | "budget">;
type Mail = [MailedNotification, ...MailedNotification[]];

export async function sendNotifications(services: Context): Promise<void> {
  const { db, clock } = services;
  const now = clock();
  const timeZones = new Set([DEFAULT_SETTINGS.timeZone, ...(await listTimeZones(db))]);
  const dailyUntil = [...timeZones].map((timeZone) => ({ timeZone, until: findLastSlot(now, timeZone) }));
  await assembleMails(db, { now, dailyUntil, limit: MAX_PEOPLE });
  await runJobs<Mail>(services, {
    name: "mail",
    concurrency: PARALLEL_MAILS,
    batch: MAX_MAILS,
    maxClaims: MAX_MAILS,
    async claim(limit) {
      const leaseUntil = new Date(now.getTime() + LEASE_MS);
      const notBefore = new Date(now.getTime() - GIVE_UP_MS);
      const claimed = await claimMails(db, { now, leaseUntil, notBefore, limit });
      return [...Map.groupBy(claimed, ({ mailId }) => mailId).values()] as Mail[];
    },
    getId: ([{ mailId }]) => mailId,
    countClaims: () => 1,
    // When it throws, the lease ends, and a later run sends the same mail.
    async run(mail) {
      await sendMail(services, buildMail(services, mail));
      await markMailSent(db, mail[0].mailId, clock());
      return { outcome: "done" };
    },
  });
}

/** Eight in the morning of the zone, today or yesterday: what was noted before it is in the daily mail. */
export function findLastSlot(now: Date, timeZone: string): Date {
  const day = toDay(now, timeZone);
  const onDay = (date: string) => toInstant(`${date}T${DAILY_AT}`, timeZone) ?? now;
  const today = onDay(day);
  return today <= now ? today : onDay(addDays(day, -1));
}

/** The same for the same rows, whenever it is built. */
function buildMail({ env }: Pick<Services, "env">, mail: Mail) {
  const [{ mailId, personId, email }] = mail;
  const origin = getPublicUrl(env);
  const sorted = [...mail].sort((a, b) => a.occasion.getTime() - b.occasion.getTime() || a.line.localeCompare(b.line));
  const lines = sorted.slice(0, MAX_LINES).map(({ line, timeZone, scopeId, path }) => {
    const text = replaceInstants(line, (at) => formatWithZone(at, timeZone));
    return `${text}\n${origin}/dashboard/${scopeId}/${path}`;
  });
  const more = sorted.length > MAX_LINES ? [`And ${sorted.length - MAX_LINES} more.`] : [];
  const unsubscribe = `${origin}${buildUnsubscribePath(env, personId)}`;
  const end = `How often you get these mails, you choose under Notifications in the dashboard. To get none: ${unsubscribe}`;
  return {
    to: email,
    subject: buildSubject(mail),
    text: [...lines, ...more, end].join("\n\n"),
    idempotencyKey: `notifications/${mailId}`,
    // One click in the mail program: RFC 8058.
    headers: { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
}

function formatWithZone(at: Date, timeZone: string): string {
  const occurrence = findOccurrence(at, timeZone);
  return `${formatInstant(at, timeZone)} (${timeZone}${occurrence ? `, the ${occurrence} of two` : ""})`;
}

/** For one notification of a kind, and after the number of several. */
const SUBJECTS: Record<MailedNotification["kind"], [one: string, many: string]> = {
  post_failed: ["a post failed", "posts failed"],
  webhook_disabled: ["a webhook was disabled", "webhooks were disabled"],
  webhook_failing: ["a webhook fails", "webhooks fail"],
  reconnect: ["an account must be connected again", "accounts must be connected again"],
};

function buildSubject(mail: Mail): string {
  const parts = Object.entries(SUBJECTS).flatMap(([kind, [one, many]]) => {
    const count = mail.filter((each) => each.kind === kind).length;
    if (count === 0) return [];
    return count === 1 ? [one] : [`${count} ${many}`];
  });
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
