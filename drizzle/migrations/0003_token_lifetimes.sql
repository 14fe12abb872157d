ALTER TABLE "accounts" ADD COLUMN "token_refreshed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "refresh_token_expires_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "accounts_token_age" ON "accounts" USING btree ("platform",coalesce(token_refreshed_at, created_at)) WHERE type = 'byo' and refresh_token is not null;