// Messages to people: collected once for each person and occasion, put into mails, and marked when the mail is sent.
import { and, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import { accounts } from "../../drizzle/schema/accounts.ts";
import { webhooks } from "../../drizzle/schema/events.ts";
import { notifications, notificationSettings as settings } from "../../drizzle/schema/notifications.ts";
import { deliveryAttempts, postDeliveries, posts } from "../../drizzle/schema/posts.ts";
import { members, owners, workspaces } from "../../drizzle/schema/tenants.ts";
import type { Db, ReadOnlyDb } from "../services/database.ts";
import { DEFAULT_SETTINGS, type Frequency } from "../shared/notifications.ts";
import { PLATFORM_DETAILS, PLATFORMS } from "../shared/platforms.ts";
import { isUnleased } from "./jobs.ts";
import { instant, type RowOf, rawCommand, rawQuery, recordSet } from "./sql.ts";

/** A subquery of the people of each scope: the members of a workspace, or the owner of a scope without a workspace. */
const RECIPIENTS = sql`(
  select ${members.workspaceId} as scope_id, ${members.ownerId} as person_id, ${members.role} as role from ${members}
  union all select ${owners.id}, ${owners.id}, 'owner' from ${owners})`;
const FREQUENCY = sql`coalesce(${settings.frequency}, ${DEFAULT_SETTINGS.frequency})`;
const TIME_ZONE = sql`coalesce(${settings.timeZone}, ${DEFAULT_SETTINGS.timeZone})`;

const NAMES = PLATFORMS.map((platform) => sql`when ${platform} then ${PLATFORM_DETAILS[platform].name}`);
const PLATFORM_NAME = sql`case ${accounts.platform} ${sql.join(NAMES, sql` `)} end`;

/**
 * Notes deliveries that have failed since an instant, for everyone who may retry them, the oldest first. It locks nothing
 * that exists; of two runs at once the second inserts nothing (ON CONFLICT DO NOTHING).
 */
export async function insertFailureNotifications(
  db: Db,
  { since, limit }: { since: Date; limit: number },
): Promise<void> {
  const { aboutId, occasion, personId } = notifications;
  await rawCommand(
    db,
    sql`
      insert into ${notifications} (person_id, scope_id, kind, about_id, occasion, line, path)
      select person.person_id, ${posts.scopeId}, 'post_failed', ${postDeliveries.id}, ${deliveryAttempts.at},
        ${PLATFORM_NAME} || ' ' || ${accounts.username} || ': “' || left(${posts.caption}, 60) || '” failed. '
          || coalesce(${postDeliveries.errorMessage}, ''),
        'posts/' || ${posts.id}
      from ${deliveryAttempts}
      join ${postDeliveries} on ${postDeliveries.id} = ${deliveryAttempts.deliveryId}
      join ${posts} on ${posts.id} = ${postDeliveries.postId}
      join ${accounts} on ${accounts.id} = ${postDeliveries.accountId}
      join ${RECIPIENTS} person on person.scope_id = ${posts.scopeId} and person.role in ('owner', 'admin', 'editor')
      left join ${settings} on ${settings.personId} = person.person_id
      where ${deliveryAttempts.outcome} = 'failed' and ${deliveryAttempts.at} > ${instant(since)}
        and ${postDeliveries.status} = 'failed' and ${FREQUENCY} <> 'none'
        and not exists (select 1 from ${notifications} where ${aboutId} = ${postDeliveries.id}
          and ${occasion} = ${deliveryAttempts.at} and ${personId} = person.person_id)
      order by ${deliveryAttempts.at} limit ${limit}
      on conflict do nothing`,
  );
}

export interface EndingAccount {
  aboutId: string;
  scopeId: string;
  occasion: Date;
  line: string;
}

/** Notes accounts that must be connected again, for everyone who may do so. */
export async function insertReconnectNotifications(db: Db, ending: EndingAccount[]): Promise<void> {
  if (ending.length === 0) return;
  const { aboutId, scopeId, occasion, line } = notifications;
  await rawCommand(
    db,
    sql`
      insert into ${notifications} (person_id, scope_id, kind, about_id, occasion, line, path)
      select person.person_id, ending."scopeId", 'reconnect', ending."aboutId", ending.occasion, ending.line, 'accounts'
      from ${recordSet("ending", { aboutId, scopeId, occasion, line }, ending)}
      join ${RECIPIENTS} person on person.scope_id = ending."scopeId" and person.role in ('owner', 'admin')
      left join ${settings} on ${settings.personId} = person.person_id
      where ${FREQUENCY} <> 'none'
      on conflict do nothing`,
  );
}

/** The message about a webhook, for everyone who may change it. `percent` is null once it is disabled. */
export interface WebhookNote {
  kind: "webhook_failing" | "webhook_disabled";
  aboutId: string;
  scopeId: string;
  occasion: Date;
  line: string;
  percent: number | null;
}

/** Notes webhooks that fail, and that they were noted. It locks webhooks in the order of the list. */
export async function insertWebhookNotifications(db: Db, notes: WebhookNote[]): Promise<void> {
  if (notes.length === 0) return;
  const { kind, aboutId, scopeId, occasion, line } = notifications;
  const columns = { kind, aboutId, scopeId, occasion, line, percent: webhooks.warnedPercent };
  await rawCommand(
    db,
    sql`
      with note as materialized (select * from ${recordSet("note", columns, notes)}), warned_webhooks as (
        update ${webhooks} set warned_percent = note.percent from note
        where ${webhooks.id} = note."aboutId" and ${webhooks.warnedPercent} < note.percent
      )
      insert into ${notifications} (person_id, scope_id, kind, about_id, occasion, line, path)
      select person.person_id, note."scopeId", note.kind, note."aboutId", note.occasion, note.line, 'webhooks'
      from note
      join ${RECIPIENTS} person on person.scope_id = note."scopeId" and person.role in ('owner', 'admin', 'editor')
      left join ${settings} on ${settings.personId} = person.person_id
      where ${FREQUENCY} <> 'none'
      on conflict do nothing`,
  );
}

/** The time zones of people who get a daily mail. */
export async function listTimeZones(db: ReadOnlyDb): Promise<string[]> {
  const rows = await db
    .selectDistinct({ timeZone: settings.timeZone })
    .from(settings)
    .where(eq(settings.frequency, "daily"));
  return rows.map(({ timeZone }) => timeZone);
}

/** There is still something to do (the delivery is failed, the connection ends, the webhook fails), and the person may do it. */
const IS_CURRENT = sql`(
  case ${notifications.kind} when 'post_failed' then exists (
    select 1 from ${postDeliveries} where ${postDeliveries.id} = ${notifications.aboutId} and ${postDeliveries.status} = 'failed')
  when 'webhook_failing' then exists (
    select 1 from ${webhooks} where ${webhooks.id} = ${notifications.aboutId} and ${webhooks.disabledAt} is null
      and ${webhooks.failingSince} < ${notifications.occasion})
  when 'webhook_disabled' then exists (
    select 1 from ${webhooks} where ${webhooks.id} = ${notifications.aboutId} and ${webhooks.disabledAt} = ${notifications.occasion})
  else exists (
    select 1 from ${accounts} where ${accounts.id} = ${notifications.aboutId} and ${accounts.status} in ('active', 'paused')
      and ${notifications.occasion} in (${accounts.tokenExpiresAt}, ${accounts.refreshTokenExpiresAt})) end
  and exists (select 1 from ${RECIPIENTS} person
    where person.scope_id = ${notifications.scopeId} and person.person_id = ${notifications.personId} and person.role <> 'viewer'))`;

interface DueMails {
  now: Date;
  /** Per time zone: a daily mail has what was noted before this instant. */
  dailyUntil: { timeZone: string; until: Date }[];
  /** People per call. */
  limit: number;
}

/**
 * Puts due notifications into a mail for each person, and deletes those that are no longer current. Of two runs at
 * once the second waits for the rows of the first, and then finds that they have a mail.
 */
export async function assembleMails(db: Db, { now, dailyUntil, limit }: DueMails): Promise<void> {
  const slot = recordSet("slot", { timeZone: settings.timeZone, until: notifications.createdAt }, dailyUntil);
  await rawCommand(
    db,
    sql`
      with due_people as (${selectDuePeople(slot, limit)}), due_notifications as (${selectDueNotifications(slot)}),
        deleted_notifications as (
          delete from ${notifications} using due_notifications due
          where ${notifications.id} = due.id and not due.is_current
        )
      update ${notifications} set mail_id = due.mail_id, mailed_at = ${instant(now)}
      from due_notifications due
      where ${notifications.id} = due.id and due.is_current and ${notifications.mailId} is null`,
  );
}

const IS_DUE = sql`${notifications.mailId} is null
  and (${FREQUENCY} = 'at_once' or (${FREQUENCY} = 'daily' and ${notifications.createdAt} < slot.until))`;

/** The people with due notifications, whose oldest has waited longest first, each with the id of a new mail. */
const selectDuePeople = (slot: SQL, limit: number): SQL => sql`
  select ${notifications.personId} as id, gen_random_uuid() as mail_id, min(${notifications.createdAt}) as oldest
  from ${notifications} left join ${settings} on ${settings.personId} = ${notifications.personId}
  left join ${slot} on slot."timeZone" = ${TIME_ZONE}
  where ${IS_DUE} group by ${notifications.personId} order by oldest limit ${limit}`;

const selectDueNotifications = (slot: SQL): SQL => sql`
  select ${notifications.id} as id, due_people.mail_id, ${IS_CURRENT} as is_current
  from due_people join ${notifications} on ${notifications.personId} = due_people.id
  left join ${settings} on ${settings.personId} = due_people.id
  left join ${slot} on slot."timeZone" = ${TIME_ZONE}
  where ${IS_DUE}`;

const MAILED = {
  mailId: sql<string>`${notifications.mailId}`,
  personId: notifications.personId,
  email: owners.email,
  scopeId: notifications.scopeId,
  timeZone: sql<string>`coalesce((select ${workspaces.timeZone} from ${workspaces}
    where ${workspaces.id} = ${notifications.scopeId}), ${owners.timeZone})`,
  kind: notifications.kind,
  line: notifications.line,
  path: notifications.path,
  occasion: notifications.occasion,
};
export type MailedNotification = RowOf<typeof MAILED>;

interface MailClaim {
  now: Date;
  leaseUntil: Date;
  /** Mails older than this are given up. */
  notBefore: Date;
  limit: number;
}

/**
 * Claims mails that are not sent yet, with all that is in them, for a limited time. Of two claims at once the second waits
 * for the rows of the first, and then finds them leased.
 */
export function claimMails(db: Db, { now, leaseUntil, notBefore, limit }: MailClaim) {
  const isFree = sql`${notifications.sentAt} is null and ${isUnleased(notifications, now)}`;
  return rawQuery(
    db,
    MAILED,
    (list) => sql`
      with ready_mails as (
        select ${notifications.mailId} as id, min(${notifications.mailedAt}) as since from ${notifications}
        where ${notifications.mailId} is not null and ${notifications.mailedAt} > ${instant(notBefore)} and ${isFree}
        group by ${notifications.mailId} order by since limit ${limit}
      )
      update ${notifications} set lease_until = ${instant(leaseUntil)} from ready_mails, ${owners}
      where ${notifications.mailId} = ready_mails.id and ${owners.id} = ${notifications.personId} and ${isFree}
      returning ${list}`,
  );
}

export async function markMailSent(db: Db, mailId: string, now: Date): Promise<void> {
  await db
    .update(notifications)
    .set({ sentAt: now })
    .where(and(eq(notifications.mailId, mailId), isNull(notifications.sentAt)));
}

export async function deleteOldNotifications(db: Db, before: Date): Promise<void> {
  await db.delete(notifications).where(lt(notifications.createdAt, before));
}

export async function findNotificationSettings(db: ReadOnlyDb, personId: string) {
  const { frequency, timeZone } = settings;
  const [row] = await db.select({ frequency, timeZone }).from(settings).where(eq(settings.personId, personId));
  return row ?? DEFAULT_SETTINGS;
}

/** A null time zone keeps the stored one. With `none`, notifications that are in no mail yet are deleted. */
export async function saveNotificationSettings(
  db: Db,
  personId: string,
  { frequency, timeZone, now }: { frequency: Frequency; timeZone: string | null; now: Date },
): Promise<void> {
  const row = { personId, frequency, timeZone: timeZone ?? DEFAULT_SETTINGS.timeZone, updatedAt: now };
  const set = { frequency, updatedAt: now, ...(timeZone ? { timeZone } : {}) };
  const upsert = db.insert(settings).values(row).onConflictDoUpdate({ target: settings.personId, set });
  if (frequency !== "none") return void (await upsert);
  const unassigned = and(eq(notifications.personId, personId), isNull(notifications.mailId));
  await db.batch([upsert, db.delete(notifications).where(unassigned)]);
}
