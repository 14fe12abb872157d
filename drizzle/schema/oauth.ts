// OAuth 2.1: clients that registered themselves, and the codes and tokens of the grants that people gave them. Secrets are hashed.
import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant } from "./columns.ts";
import { grants } from "./keys.ts";

/** Public clients: none has a secret. Clients whose id is a URL are not stored. */
export const oauthClients = pgTable("oauth_clients", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  redirectUris: text("redirect_uris").array().notNull(),
  createdAt: createdAt(),
});

const grantId = () =>
  uuid("grant_id")
    .notNull()
    .references(() => grants.id, { onDelete: "cascade" });

/** One for each consent. It stays as long as its grant, so that a replay is recognized. */
export const grantCodes = pgTable(
  "grant_codes",
  {
    codeHash: text("code_hash").primaryKey(),
    grantId: grantId(),
    redirectUri: text("redirect_uri").notNull(),
    /** Of PKCE, S256. */
    codeChallenge: text("code_challenge").notNull(),
    expiresAt: instant("expires_at").notNull(),
    usedAt: instant("used_at"),
  },
  (table) => [index("grant_codes_grant").on(table.grantId)],
);

const token = () => ({
  /** The part of the token before the dot. */
  publicId: text("public_id").primaryKey(),
  /** SHA-256 of the 256-bit secret, hex. */
  secretHash: text("secret_hash").notNull(),
  grantId: grantId(),
});

export const grantAccessTokens = pgTable(
  "grant_access_tokens",
  { ...token(), expiresAt: instant("expires_at").notNull() },
  (table) => [
    index("grant_access_tokens_grant").on(table.grantId),
    index("grant_access_tokens_expires_at").on(table.expiresAt),
  ],
);

export const grantRefreshTokens = pgTable(
  "grant_refresh_tokens",
  {
    ...token(),
    createdAt: createdAt(),
    usedAt: instant("used_at"),
    /** The public id of the refresh token that its use gave. */
    successorId: text("successor_id"),
  },
  (table) => [
    index("grant_refresh_tokens_grant").on(table.grantId),
    index("grant_refresh_tokens_used_at").on(table.usedAt),
  ],
);
