ALTER TABLE "post_deliveries" ADD COLUMN "checked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "post_deliveries" ADD COLUMN "risk" jsonb;--> statement-breakpoint
CREATE INDEX "post_deliveries_unchecked" ON "post_deliveries" USING btree ("due_at") WHERE status = 'scheduled' and checked_at is null;--> statement-breakpoint
CREATE INDEX "post_deliveries_at_risk" ON "post_deliveries" USING btree ("due_at") WHERE status = 'scheduled' and risk is not null;