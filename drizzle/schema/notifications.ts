// Messages by email: a failed post, an account that must be connected again, a webhook that fails. A row is one message to one person.
import { sql } from "drizzle-orm";
import { index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { FREQUENCIES } from "../../lib/shared/notifications.ts";
import { createdAt, instant, updatedAt } from "./columns.ts";
import { owners } from "./tenants.ts";

/** A person without a row gets a daily mail, at eight in the morning UTC. */
export const notificationSettings = pgTable("notification_settings", {
  personId: uuid("person_id")
    .primaryKey()
    .references(() => owners.id, { onDelete: "cascade" }),
  frequency: text("frequency", { enum: FREQUENCIES }).notNull(),
  /** IANA name, from the browser in which the person chose. */
  timeZone: text("time_zone").notNull(),
  updatedAt: updatedAt(),
});

export const notifications = pgTable(
  "notifications",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    personId: uuid("person_id")
      .notNull()
      .references(() => owners.id, { onDelete: "cascade" }),
    scopeId: uuid("scope_id").notNull(),
    kind: text("kind", { enum: ["post_failed", "reconnect", "webhook_failing", "webhook_disabled"] }).notNull(),
    /** The delivery, the account or the webhook. */
    aboutId: uuid("about_id").notNull(),
    /** When it happened, or when the connection ends: the same again is another message. */
    occasion: instant("occasion").notNull(),
    /** The text of the mail, and the path of its page. Kept, so that a repeated mail is the same. */
    line: text("line").notNull(),
    path: text("path").notNull(),
    createdAt: createdAt(),
    /** The mail that it is in. It also names the mail to the mail service, which sends it once. */
    mailId: uuid("mail_id"),
    mailedAt: instant("mailed_at"),
    leaseUntil: instant("lease_until"),
    sentAt: instant("sent_at"),
  },
  (table) => [
    uniqueIndex("notifications_once").on(table.aboutId, table.occasion, table.personId),
    index("notifications_open").on(table.personId, table.createdAt).where(sql`mail_id is null`),
    index("notifications_unsent").on(table.mailedAt).where(sql`mail_id is not null and sent_at is null`),
    index("notifications_created").on(table.createdAt),
  ],
);
