CREATE TABLE "analytics_posts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"target_id" uuid NOT NULL,
	"platform_post_id" text NOT NULL,
	"kind" text NOT NULL,
	"published_at" timestamp (3) with time zone NOT NULL,
	"caption" text NOT NULL,
	"permalink" text,
	"thumbnail_url" text,
	"duration_seconds" integer,
	"views" bigint NOT NULL,
	"likes" bigint NOT NULL,
	"comments" bigint NOT NULL,
	"shares" bigint NOT NULL,
	"saves" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "analytics_refreshes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"target_id" uuid NOT NULL,
	"status" text NOT NULL,
	"was_free" boolean NOT NULL,
	"cursor" text,
	"posts_seen" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"deadline_at" timestamp (3) with time zone NOT NULL,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"error_code" text,
	"error" text,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "analytics_snapshots" (
	"post_id" uuid NOT NULL,
	"day" date NOT NULL,
	"views" bigint NOT NULL,
	"likes" bigint NOT NULL,
	"comments" bigint NOT NULL,
	"shares" bigint NOT NULL,
	"saves" bigint NOT NULL,
	CONSTRAINT "analytics_snapshots_post_id_day_pk" PRIMARY KEY("post_id","day")
);
--> statement-breakpoint
CREATE TABLE "analytics_target_days" (
	"target_id" uuid NOT NULL,
	"day" date NOT NULL,
	"views" bigint NOT NULL,
	"likes" bigint NOT NULL,
	"comments" bigint NOT NULL,
	"shares" bigint NOT NULL,
	"saves" bigint NOT NULL,
	CONSTRAINT "analytics_target_days_target_id_day_pk" PRIMARY KEY("target_id","day")
);
--> statement-breakpoint
CREATE TABLE "analytics_targets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"platform" text NOT NULL,
	"identifier" text NOT NULL,
	"normalized_identifier" text NOT NULL,
	"display_name" text NOT NULL,
	"favorite" boolean DEFAULT false NOT NULL,
	"free_daily_refresh" boolean DEFAULT true NOT NULL,
	"max_posts" integer NOT NULL,
	"free_refreshed_on" date,
	"last_refreshed_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "analytics_posts" ADD CONSTRAINT "analytics_posts_target_id_analytics_targets_id_fk" FOREIGN KEY ("target_id") REFERENCES "public"."analytics_targets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analytics_refreshes" ADD CONSTRAINT "analytics_refreshes_target_id_analytics_targets_id_fk" FOREIGN KEY ("target_id") REFERENCES "public"."analytics_targets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analytics_snapshots" ADD CONSTRAINT "analytics_snapshots_post_id_analytics_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."analytics_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analytics_target_days" ADD CONSTRAINT "analytics_target_days_target_id_analytics_targets_id_fk" FOREIGN KEY ("target_id") REFERENCES "public"."analytics_targets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "analytics_posts_target_post" ON "analytics_posts" USING btree ("target_id","platform_post_id");--> statement-breakpoint
CREATE INDEX "analytics_posts_target_published" ON "analytics_posts" USING btree ("target_id","published_at","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "analytics_refreshes_running" ON "analytics_refreshes" USING btree ("target_id") WHERE status in ('pending', 'processing');--> statement-breakpoint
CREATE INDEX "analytics_refreshes_target" ON "analytics_refreshes" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX "analytics_refreshes_due" ON "analytics_refreshes" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "analytics_targets_scope_account" ON "analytics_targets" USING btree ("scope_id","platform","normalized_identifier") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "analytics_targets_scope_newest" ON "analytics_targets" USING btree ("scope_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "analytics_targets_deleted" ON "analytics_targets" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "post_deliveries_platform_post" ON "post_deliveries" USING btree ("platform_post_id") WHERE platform_post_id is not null;