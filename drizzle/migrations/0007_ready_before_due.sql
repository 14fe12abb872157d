DROP INDEX "post_deliveries_account_begun";--> statement-breakpoint
ALTER TABLE "post_deliveries" ADD COLUMN "ready_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "post_deliveries_account_queue" ON "post_deliveries" USING btree ("account_id","due_at","id") WHERE next_attempt_at is not null and stage <> 'sent';--> statement-breakpoint
CREATE INDEX "post_deliveries_account_checks" ON "post_deliveries" USING btree ("account_id","due_at","id") WHERE next_attempt_at is not null and stage = 'sent';