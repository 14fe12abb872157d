ALTER TABLE "analytics_refreshes" ADD COLUMN "claims" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "removals" ADD COLUMN "lease_token" uuid;--> statement-breakpoint
ALTER TABLE "removals" ADD COLUMN "lease_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "removals" ADD COLUMN "claims" integer DEFAULT 0 NOT NULL;