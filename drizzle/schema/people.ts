// Sign-in to the dashboard, in the tables that better-auth expects, and invitations to workspaces.
import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { ROLES } from "../../lib/shared/permissions.ts";
import { createdAt, instant, updatedAt } from "./columns.ts";
import { owners, workspaces } from "./tenants.ts";

export const sessions = pgTable(
  "sessions",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    /** Half of the cookie; the other half is its signature with SESSION_SECRET. */
    token: text("token").notNull().unique(),
    userId: uuid("user_id")
      .notNull()
      .references(() => owners.id, { onDelete: "cascade" }),
    expiresAt: instant("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("sessions_user").on(table.userId)],
);

/** Ways to sign in beside the code by email; better-auth needs the table, and nothing fills it yet. */
export const signInMethods = pgTable(
  "sign_in_methods",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: uuid("user_id")
      .notNull()
      .references(() => owners.id, { onDelete: "cascade" }),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: instant("access_token_expires_at"),
    refreshTokenExpiresAt: instant("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("sign_in_methods_user").on(table.userId)],
);

/** Public keys of the devices with which a person signs in instead of by a code; the names are those of better-auth. */
export const passkeys = pgTable(
  "passkeys",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    /** As the person called it. */
    name: text("name"),
    userId: uuid("user_id")
      .notNull()
      .references(() => owners.id, { onDelete: "cascade" }),
    credentialID: text("credential_id").notNull().unique(),
    /** COSE, in Base64. */
    publicKey: text("public_key").notNull(),
    /** Of signatures; authenticators that sync their keys keep it at 0. */
    counter: integer("counter").notNull(),
    deviceType: text("device_type").notNull(),
    backedUp: boolean("backed_up").notNull(),
    transports: text("transports"),
    /** The model of the authenticator. */
    aaguid: text("aaguid"),
    createdAt: createdAt(),
  },
  (table) => [index("passkeys_user").on(table.userId)],
);

/** Codes that were sent, and challenges of passkeys, not used yet; codes are hashed. */
export const verifications = pgTable(
  "verifications",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: instant("expires_at").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("verifications_identifier").on(table.identifier)],
);

export const invitations = pgTable(
  "invitations",
  {
    id: uuid("id").primaryKey(),
    workspaceId: uuid("workspace_id")
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    /** For the audit log, which names the scope of every record. */
    scopeId: uuid("scope_id").notNull().generatedAlwaysAs(sql`workspace_id`),
    /** In lower case. */
    email: text("email").notNull(),
    role: text("role", { enum: ROLES }).notNull(),
    invitedBy: uuid("invited_by")
      .notNull()
      .references(() => owners.id, { onDelete: "cascade" }),
    expiresAt: instant("expires_at").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("invitations_workspace_email").on(table.workspaceId, table.email),
    index("invitations_email").on(table.email),
  ],
);
