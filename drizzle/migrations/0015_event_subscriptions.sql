-- Subscriptions of MCP Events are webhooks that end with the key or grant of their client, or when it does not renew them.
ALTER TABLE "webhooks" ADD COLUMN "subscriber_id" uuid;
--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "expires_at" timestamp (3) with time zone;
--> statement-breakpoint
CREATE INDEX "webhooks_subscriptions" ON "webhooks" USING btree ("subscriber_id") WHERE subscriber_id is not null;