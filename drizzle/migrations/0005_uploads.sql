CREATE TABLE "removals" (
	"bucket" text NOT NULL,
	"object_key" text NOT NULL,
	"multipart_id" text,
	"file_id" uuid,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "removals_bucket_object_key_pk" PRIMARY KEY("bucket","object_key")
);
--> statement-breakpoint
DROP INDEX "uploads_open";--> statement-breakpoint
DROP INDEX "files_scope_newest";--> statement-breakpoint
CREATE INDEX "removals_due" ON "removals" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "files_scope_kind_newest" ON "files" USING btree ("scope_id","origin","kind","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "uploads_fruitless" ON "uploads" USING btree ("expires_at") WHERE state <> 'finalized';--> statement-breakpoint
CREATE INDEX "files_scope_newest" ON "files" USING btree ("scope_id","origin","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
-- Uploads that began before there was this table.
INSERT INTO "removals" ("bucket", "object_key", "due_at") SELECT 'uploads', object_key, expires_at + interval '2 hours' FROM uploads;
