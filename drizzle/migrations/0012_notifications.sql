CREATE TABLE "notification_settings" (
	"person_id" uuid PRIMARY KEY NOT NULL,
	"frequency" text NOT NULL,
	"time_zone" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"person_id" uuid NOT NULL,
	"scope_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"about_id" uuid NOT NULL,
	"occasion" timestamp (3) with time zone NOT NULL,
	"line" text NOT NULL,
	"path" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"mail_id" uuid,
	"mailed_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_person_id_owners_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_person_id_owners_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_once" ON "notifications" USING btree ("about_id","occasion","person_id");--> statement-breakpoint
CREATE INDEX "notifications_open" ON "notifications" USING btree ("person_id","created_at") WHERE mail_id is null;--> statement-breakpoint
CREATE INDEX "notifications_unsent" ON "notifications" USING btree ("mailed_at") WHERE mail_id is not null and sent_at is null;--> statement-breakpoint
CREATE INDEX "notifications_created" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "delivery_attempts_failed" ON "delivery_attempts" USING btree ("at") WHERE outcome = 'failed';