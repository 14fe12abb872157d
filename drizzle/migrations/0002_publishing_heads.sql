DROP INDEX "post_deliveries_account_open";--> statement-breakpoint
CREATE INDEX "post_deliveries_account_begun" ON "post_deliveries" USING btree ("account_id","due_at","id") WHERE next_attempt_at is not null and stage <> 'new';--> statement-breakpoint
CREATE INDEX "post_deliveries_account_open" ON "post_deliveries" USING btree ("account_id","due_at","id") WHERE next_attempt_at is not null;