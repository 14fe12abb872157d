CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"platform" text NOT NULL,
	"type" text NOT NULL,
	"status" text NOT NULL,
	"username" text NOT NULL,
	"display_name" text NOT NULL,
	"external_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"token_expires_at" timestamp (3) with time zone,
	"token_version" integer DEFAULT 0 NOT NULL,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"status_reason" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"object_key" text NOT NULL,
	"url" text NOT NULL,
	"kind" text NOT NULL,
	"content_type" text NOT NULL,
	"filename" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"duration_ms" integer,
	"has_video" boolean NOT NULL,
	"has_audio" boolean NOT NULL,
	"details" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"object_key" text NOT NULL,
	"content_type" text NOT NULL,
	"filename" text NOT NULL,
	"size" bigint,
	"state" text NOT NULL,
	"reason" text,
	"multipart_id" text,
	"part_size" integer,
	"part_count" integer,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"public_id" text NOT NULL,
	"secret_hash" text NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "api_keys_public_id_unique" UNIQUE("public_id")
);
--> statement-breakpoint
CREATE TABLE "grants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"public_id" text NOT NULL,
	"secret_hash" text NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"client_name" text NOT NULL,
	CONSTRAINT "grants_public_id_unique" UNIQUE("public_id")
);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"delivery_id" uuid NOT NULL,
	"attempt" integer NOT NULL,
	"step" text NOT NULL,
	"outcome" text NOT NULL,
	"code" text,
	"message" text,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "post_counts" (
	"scope_id" uuid NOT NULL,
	"day" date NOT NULL,
	"status" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "post_counts_scope_id_day_status_pk" PRIMARY KEY("scope_id","day","status")
);
--> statement-breakpoint
CREATE TABLE "post_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"post_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"status" text NOT NULL,
	"stage" text DEFAULT 'new' NOT NULL,
	"handle" jsonb,
	"due_at" timestamp (3) with time zone,
	"next_attempt_at" timestamp (3) with time zone,
	"deadline_at" timestamp (3) with time zone,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error_code" text,
	"error_message" text,
	"claimed_at" timestamp (3) with time zone,
	"armed_at" timestamp (3) with time zone,
	"last_attempted_at" timestamp (3) with time zone,
	"published_at" timestamp (3) with time zone,
	"published_url" text,
	"platform_post_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "posts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"caption" text NOT NULL,
	"status" text,
	"media" jsonb,
	"scheduled_at" timestamp (3) with time zone,
	"music_url" text,
	"tiktok" jsonb,
	"pinterest" jsonb,
	"settings" jsonb NOT NULL,
	"metadata" jsonb NOT NULL,
	"external_id" text,
	"payload_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "members" (
	"workspace_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_workspace_id_owner_id_pk" PRIMARY KEY("workspace_id","owner_id")
);
--> statement-breakpoint
CREATE TABLE "owners" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "owners_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"tier" text NOT NULL,
	"status" text NOT NULL,
	"paid_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_post_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."post_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "post_deliveries" ADD CONSTRAINT "post_deliveries_post_id_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "post_deliveries" ADD CONSTRAINT "post_deliveries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_owner_id_owners_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_owner_id_owners_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_scope_platform" ON "accounts" USING btree ("scope_id","platform","type","external_id");--> statement-breakpoint
CREATE INDEX "files_scope_newest" ON "files" USING btree ("scope_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE UNIQUE INDEX "files_scope_url" ON "files" USING btree ("scope_id","url");--> statement-breakpoint
CREATE INDEX "uploads_open" ON "uploads" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "api_keys_scope" ON "api_keys" USING btree ("scope_id");--> statement-breakpoint
CREATE INDEX "grants_scope" ON "grants" USING btree ("scope_id");--> statement-breakpoint
CREATE INDEX "delivery_attempts_delivery" ON "delivery_attempts" USING btree ("delivery_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "post_deliveries_post_account" ON "post_deliveries" USING btree ("post_id","account_id");--> statement-breakpoint
CREATE INDEX "post_deliveries_due" ON "post_deliveries" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "post_deliveries_account_open" ON "post_deliveries" USING btree ("account_id","due_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "posts_scope_newest" ON "posts" USING btree ("scope_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE status is not null;--> statement-breakpoint
CREATE INDEX "posts_scope_status_newest" ON "posts" USING btree ("scope_id","status","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE UNIQUE INDEX "posts_scope_external" ON "posts" USING btree ("scope_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "members_owner" ON "members" USING btree ("owner_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_scope" ON "subscriptions" USING btree ("scope_id");