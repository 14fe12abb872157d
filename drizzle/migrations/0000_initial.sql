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
	"grantor_id" text,
	"network_app_id" uuid,
	"access_token" text,
	"refresh_token" text,
	"token_expires_at" timestamp (3) with time zone,
	"token_version" integer DEFAULT 0 NOT NULL,
	"token_refreshed_at" timestamp (3) with time zone,
	"refresh_token_expires_at" timestamp (3) with time zone,
	"reconnect_announced_for" timestamp (3) with time zone,
	"token_tried_at" timestamp (3) with time zone,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"status_reason" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
	"likes" bigint,
	"comments" bigint,
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
	"claims" integer DEFAULT 0 NOT NULL,
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
	"likes" bigint,
	"comments" bigint,
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
	"unrated_views" bigint DEFAULT 0 NOT NULL,
	"unrated_interactions" bigint DEFAULT 0 NOT NULL,
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
CREATE TABLE "approval_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"post_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"post_version" integer NOT NULL,
	"plan_hash" text NOT NULL,
	"recipient" text NOT NULL,
	"created_by" uuid NOT NULL,
	"withdrawn_at" timestamp (3) with time zone,
	"decision" text,
	"comment" text,
	"decided_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "approval_links_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"scope_id" uuid NOT NULL,
	"actor_kind" text NOT NULL,
	"actor_id" uuid NOT NULL,
	"actor_name" text NOT NULL,
	"action" text NOT NULL,
	"noun" text NOT NULL,
	"record_id" uuid NOT NULL,
	"request_id" text NOT NULL,
	"transaction" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "connect_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"token_hash" text NOT NULL,
	"platforms" text[],
	"label" text,
	"redirect_url" text,
	"created_by" uuid,
	"starts" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "connect_links_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"platform" text NOT NULL,
	"link_id" uuid,
	"network_app_id" uuid,
	"state_hash" text,
	"browser_hash" text NOT NULL,
	"status" text NOT NULL,
	"secrets" text NOT NULL,
	"error_code" text,
	"error_message" text,
	"account_ids" uuid[] DEFAULT '{}' NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "connections_state_hash_unique" UNIQUE("state_hash")
);
--> statement-breakpoint
CREATE TABLE "editor_activity" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"kind" text NOT NULL,
	"note" text,
	"actor" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "editor_projects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"title" text NOT NULL,
	"aspect_ratio" text NOT NULL,
	"document" jsonb NOT NULL,
	"previous" jsonb,
	"transcript" jsonb,
	"revision" integer DEFAULT 1 NOT NULL,
	"assistant_lock_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "speech_transcripts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"sha256" text NOT NULL,
	"recogniser" text NOT NULL,
	"start_ms" integer NOT NULL,
	"end_ms" integer NOT NULL,
	"language" text,
	"words" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "speech_transcripts_order" CHECK (start_ms < end_ms)
);
--> statement-breakpoint
CREATE TABLE "api_documents" (
	"sha256" text PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"deployed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_counters" (
	"scope_id" uuid PRIMARY KEY NOT NULL,
	"last" bigint DEFAULT 0 NOT NULL,
	"last_at" timestamp (3) with time zone DEFAULT 'epoch' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"scope_id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"id" uuid NOT NULL,
	"type" text NOT NULL,
	"object_id" uuid NOT NULL,
	"snapshot" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "events_scope_id_sequence_created_at_pk" PRIMARY KEY("scope_id","sequence","created_at")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"webhook_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"event_at" timestamp (3) with time zone NOT NULL,
	"type" text NOT NULL,
	"object_id" uuid NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"claims" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"url" text NOT NULL,
	"types" text[] NOT NULL,
	"description" text,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_until" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"warned_percent" integer DEFAULT 0 NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	"disabled_reason" text,
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
	"origin" text DEFAULT 'upload' NOT NULL,
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
CREATE TABLE "removals" (
	"bucket" text NOT NULL,
	"object_key" text NOT NULL,
	"multipart_id" text,
	"file_id" uuid,
	"due_at" timestamp (3) with time zone NOT NULL,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"claims" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "removals_bucket_object_key_pk" PRIMARY KEY("bucket","object_key")
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
	"parts_hash" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "folder_items" (
	"folder_id" uuid NOT NULL,
	"file_id" uuid,
	"slideshow_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "folder_items_one_kind" CHECK (num_nonnulls(file_id, slideshow_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "folders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"name" text NOT NULL,
	"media_type" text NOT NULL,
	"parent_folder_id" uuid,
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
	"permissions" jsonb,
	"revoked_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"name" text NOT NULL,
	"created_by" uuid,
	"rotated_at" timestamp (3) with time zone,
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
	"permissions" jsonb,
	"revoked_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"client_name" text NOT NULL,
	CONSTRAINT "grants_public_id_unique" UNIQUE("public_id")
);
--> statement-breakpoint
CREATE TABLE "network_apps" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"platform" text NOT NULL,
	"client_id" text NOT NULL,
	"client_secret" text NOT NULL,
	"secret_end" text NOT NULL,
	"scopes" text[],
	"uploads_per_day" integer,
	"retired_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "pack_images" (
	"id" uuid PRIMARY KEY NOT NULL,
	"pack_id" uuid NOT NULL,
	"url" text NOT NULL,
	"file_name" text NOT NULL,
	"content_type" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "packs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"name" text NOT NULL,
	"is_public" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workspace_id" uuid NOT NULL,
	"scope_id" uuid GENERATED ALWAYS AS (workspace_id) STORED NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"invited_by" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text,
	"user_id" uuid NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" text NOT NULL,
	"counter" integer NOT NULL,
	"device_type" text NOT NULL,
	"backed_up" boolean NOT NULL,
	"transports" text,
	"aaguid" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "passkeys_credential_id_unique" UNIQUE("credential_id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"token" text NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sessions_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "sign_in_methods" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"user_id" uuid NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp (3) with time zone,
	"refresh_token_expires_at" timestamp (3) with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verifications" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"id" bigserial NOT NULL,
	"delivery_id" uuid NOT NULL,
	"attempt" integer NOT NULL,
	"step" text NOT NULL,
	"outcome" text NOT NULL,
	"code" text,
	"message" text,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "delivery_attempts_id_at_pk" PRIMARY KEY("id","at")
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
	"claims" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error_code" text,
	"error_message" text,
	"claimed_at" timestamp (3) with time zone,
	"ready_at" timestamp (3) with time zone,
	"checked_at" timestamp (3) with time zone,
	"risk" jsonb,
	"armed_at" timestamp (3) with time zone,
	"last_attempted_at" timestamp (3) with time zone,
	"published_at" timestamp (3) with time zone,
	"published_url" text,
	"platform_post_id" text,
	"warnings" jsonb,
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
	"media" jsonb,
	"music_url" text,
	"tiktok" jsonb,
	"pinterest" jsonb,
	"settings" jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"status" text,
	"scheduled_at" timestamp (3) with time zone,
	"metadata" jsonb NOT NULL,
	"external_id" text,
	"payload_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "products" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "slideshows" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"title" text NOT NULL,
	"status" text NOT NULL,
	"slideshow_type" text NOT NULL,
	"product_id" uuid,
	"settings" jsonb NOT NULL,
	"slides" jsonb NOT NULL,
	"slide_count" integer GENERATED ALWAYS AS (jsonb_array_length(slides)) STORED NOT NULL,
	"original_prompt" text,
	"generation" jsonb,
	"preview_image_url" text,
	"last_rendered_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "templates" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"visibility" text NOT NULL,
	"preview_url" text,
	"use_count" integer DEFAULT 0 NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"config" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "members" (
	"workspace_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"role" text NOT NULL,
	"scope_id" uuid GENERATED ALWAYS AS (workspace_id) STORED NOT NULL,
	"id" uuid GENERATED ALWAYS AS (owner_id) STORED NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_workspace_id_owner_id_pk" PRIMARY KEY("workspace_id","owner_id")
);
--> statement-breakpoint
CREATE TABLE "owners" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
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
CREATE TABLE "imports" (
	"kind" text NOT NULL,
	"fingerprint" text NOT NULL,
	"lines" integer NOT NULL,
	"stored" integer NOT NULL,
	"refused" integer NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "imports_kind_fingerprint_pk" PRIMARY KEY("kind","fingerprint")
);
--> statement-breakpoint
CREATE TABLE "observed_videos" (
	"platform" text NOT NULL,
	"video_id" text NOT NULL,
	"url" text NOT NULL,
	"caption" text NOT NULL,
	"hashtags" text[] NOT NULL,
	"sound_id" text,
	"sound_name" text,
	"sound_sample_url" text,
	"author_handle" text NOT NULL,
	"views" bigint NOT NULL,
	"likes" bigint NOT NULL,
	"comments" bigint NOT NULL,
	"shares" bigint NOT NULL,
	"published_at" timestamp (3) with time zone NOT NULL,
	"search_text" text NOT NULL,
	"words" "tsvector" GENERATED ALWAYS AS (to_tsvector('simple', search_text)) STORED NOT NULL,
	CONSTRAINT "observed_videos_platform_video_id_pk" PRIMARY KEY("platform","video_id")
);
--> statement-breakpoint
CREATE TABLE "viral_posts" (
	"id" text PRIMARY KEY NOT NULL,
	"platform" text NOT NULL,
	"content_type" text NOT NULL,
	"link" text NOT NULL,
	"category" text NOT NULL,
	"business_type" text NOT NULL,
	"product_name" text,
	"product_website" text,
	"product_app" jsonb,
	"product_app_id" text GENERATED ALWAYS AS (product_app ->> 'app_id') STORED,
	"account" text,
	"caption" text,
	"hashtags" text[] NOT NULL,
	"date_published" date NOT NULL,
	"views" bigint,
	"likes" bigint,
	"comments" bigint,
	"shares" bigint,
	"bookmarks" bigint,
	"slide_count" integer,
	"preview_image_url" text,
	"image_urls" text[] NOT NULL,
	"video_url" text,
	"hook_text" text,
	"hook_analysis" jsonb,
	"search_summary" text,
	"niche" text,
	"topics" text[] NOT NULL,
	"search_keywords" text[] NOT NULL,
	"ad_signal" jsonb,
	"creator_sponsored" boolean,
	"language" text,
	"slide_texts" text[],
	"transcript" jsonb,
	"embedded_from" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_network_app_id_network_apps_id_fk" FOREIGN KEY ("network_app_id") REFERENCES "public"."network_apps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analytics_posts" ADD CONSTRAINT "analytics_posts_target_id_analytics_targets_id_fk" FOREIGN KEY ("target_id") REFERENCES "public"."analytics_targets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analytics_refreshes" ADD CONSTRAINT "analytics_refreshes_target_id_analytics_targets_id_fk" FOREIGN KEY ("target_id") REFERENCES "public"."analytics_targets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analytics_snapshots" ADD CONSTRAINT "analytics_snapshots_post_id_analytics_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."analytics_posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "analytics_target_days" ADD CONSTRAINT "analytics_target_days_target_id_analytics_targets_id_fk" FOREIGN KEY ("target_id") REFERENCES "public"."analytics_targets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval_links" ADD CONSTRAINT "approval_links_post_id_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval_links" ADD CONSTRAINT "approval_links_created_by_owners_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connect_links" ADD CONSTRAINT "connect_links_created_by_owners_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_link_id_connect_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."connect_links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_network_app_id_network_apps_id_fk" FOREIGN KEY ("network_app_id") REFERENCES "public"."network_apps"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "editor_activity" ADD CONSTRAINT "editor_activity_project_id_editor_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."editor_projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folder_items" ADD CONSTRAINT "folder_items_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folder_items" ADD CONSTRAINT "folder_items_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folder_items" ADD CONSTRAINT "folder_items_slideshow_id_slideshows_id_fk" FOREIGN KEY ("slideshow_id") REFERENCES "public"."slideshows"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_parent_folder_id_folders_id_fk" FOREIGN KEY ("parent_folder_id") REFERENCES "public"."folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_owners_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."owners"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_person_id_owners_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_person_id_owners_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pack_images" ADD CONSTRAINT "pack_images_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_owners_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_owners_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_owners_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_methods" ADD CONSTRAINT "sign_in_methods_user_id_owners_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_post_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."post_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "post_deliveries" ADD CONSTRAINT "post_deliveries_post_id_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "post_deliveries" ADD CONSTRAINT "post_deliveries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "slideshows" ADD CONSTRAINT "slideshows_product_id_products_id_fk" FOREIGN KEY ("product_id") REFERENCES "public"."products"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_owner_id_owners_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_owner_id_owners_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."owners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "accounts_grantor" ON "accounts" USING btree ("platform","grantor_id") WHERE grantor_id is not null;--> statement-breakpoint
CREATE INDEX "accounts_network_app" ON "accounts" USING btree ("network_app_id") WHERE network_app_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_scope_platform" ON "accounts" USING btree ("scope_id","platform","type","external_id");--> statement-breakpoint
CREATE INDEX "accounts_token_end" ON "accounts" USING btree ("platform","token_expires_at") WHERE type = 'byo' and token_expires_at is not null;--> statement-breakpoint
CREATE INDEX "accounts_token_age" ON "accounts" USING btree ("platform",coalesce(token_refreshed_at, created_at)) WHERE type = 'byo' and refresh_token is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "analytics_posts_target_post" ON "analytics_posts" USING btree ("target_id","platform_post_id");--> statement-breakpoint
CREATE INDEX "analytics_posts_target_published" ON "analytics_posts" USING btree ("target_id","published_at","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "analytics_refreshes_running" ON "analytics_refreshes" USING btree ("target_id") WHERE status in ('pending', 'processing');--> statement-breakpoint
CREATE INDEX "analytics_refreshes_target" ON "analytics_refreshes" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX "analytics_refreshes_due" ON "analytics_refreshes" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "analytics_targets_scope_account" ON "analytics_targets" USING btree ("scope_id","platform","normalized_identifier") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "analytics_targets_scope_newest" ON "analytics_targets" USING btree ("scope_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "analytics_targets_deleted" ON "analytics_targets" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "approval_links_post" ON "approval_links" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "approval_links_end" ON "approval_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "audit_log_scope_newest" ON "audit_log" USING btree ("scope_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "audit_log_record" ON "audit_log" USING btree ("record_id","id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "connect_links_end" ON "connect_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "connections_end" ON "connections" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "connections_link" ON "connections" USING btree ("link_id");--> statement-breakpoint
CREATE INDEX "editor_activity_project" ON "editor_activity" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "editor_projects_scope_newest" ON "editor_projects" USING btree ("scope_id","updated_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE UNIQUE INDEX "speech_transcripts_range" ON "speech_transcripts" USING btree ("scope_id","sha256","recogniser","start_ms","end_ms");--> statement-breakpoint
CREATE INDEX "events_scope_type" ON "events" USING btree ("scope_id","type","sequence");--> statement-breakpoint
CREATE INDEX "events_scope_object" ON "events" USING btree ("scope_id","object_id","sequence");--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("webhook_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("webhook_id","next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_open" ON "webhook_deliveries" USING btree ("webhook_id","object_id","sequence") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_leased" ON "webhook_deliveries" USING btree ("webhook_id","lease_until") WHERE lease_until is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_unsuccessful" ON "webhook_deliveries" USING btree ("webhook_id","event_id") WHERE status in ('failed', 'aborted');--> statement-breakpoint
CREATE INDEX "webhook_deliveries_end" ON "webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhooks_scope" ON "webhooks" USING btree ("scope_id","created_at");--> statement-breakpoint
CREATE INDEX "webhooks_failing" ON "webhooks" USING btree ("failing_since") WHERE failing_since is not null;--> statement-breakpoint
CREATE INDEX "files_scope_newest" ON "files" USING btree ("scope_id","origin","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "files_scope_kind_newest" ON "files" USING btree ("scope_id","origin","kind","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE UNIQUE INDEX "files_scope_url" ON "files" USING btree ("scope_id","url");--> statement-breakpoint
CREATE INDEX "removals_due" ON "removals" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "uploads_fruitless" ON "uploads" USING btree ("expires_at") WHERE state <> 'finalized';--> statement-breakpoint
CREATE UNIQUE INDEX "folder_items_file" ON "folder_items" USING btree ("folder_id","file_id");--> statement-breakpoint
CREATE UNIQUE INDEX "folder_items_slideshow" ON "folder_items" USING btree ("folder_id","slideshow_id");--> statement-breakpoint
CREATE INDEX "folder_items_of_file" ON "folder_items" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "folder_items_of_slideshow" ON "folder_items" USING btree ("slideshow_id");--> statement-breakpoint
CREATE UNIQUE INDEX "folders_sibling_name" ON "folders" USING btree ("scope_id","media_type",coalesce(parent_folder_id, '00000000-0000-0000-0000-000000000000'::uuid),lower(name));--> statement-breakpoint
CREATE INDEX "folders_parent" ON "folders" USING btree ("parent_folder_id");--> statement-breakpoint
CREATE INDEX "api_keys_scope" ON "api_keys" USING btree ("scope_id");--> statement-breakpoint
CREATE INDEX "grants_scope" ON "grants" USING btree ("scope_id");--> statement-breakpoint
CREATE UNIQUE INDEX "network_apps_current" ON "network_apps" USING btree ("scope_id","platform") WHERE retired_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "network_apps_client" ON "network_apps" USING btree ("scope_id","platform","client_id");--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_once" ON "notifications" USING btree ("about_id","occasion","person_id");--> statement-breakpoint
CREATE INDEX "notifications_open" ON "notifications" USING btree ("person_id","created_at") WHERE mail_id is null;--> statement-breakpoint
CREATE INDEX "notifications_unsent" ON "notifications" USING btree ("mailed_at") WHERE mail_id is not null and sent_at is null;--> statement-breakpoint
CREATE INDEX "notifications_created" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "pack_images_in_order" ON "pack_images" USING btree ("pack_id","created_at","id");--> statement-breakpoint
CREATE INDEX "packs_scope_newest" ON "packs" USING btree ("scope_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "packs_public_newest" ON "packs" USING btree ("created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE is_public;--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_workspace_email" ON "invitations" USING btree ("workspace_id","email");--> statement-breakpoint
CREATE INDEX "invitations_email" ON "invitations" USING btree ("email");--> statement-breakpoint
CREATE INDEX "passkeys_user" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sign_in_methods_user" ON "sign_in_methods" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "verifications_identifier" ON "verifications" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "delivery_attempts_delivery" ON "delivery_attempts" USING btree ("delivery_id","id");--> statement-breakpoint
CREATE INDEX "delivery_attempts_ended" ON "delivery_attempts" USING btree ("at") WHERE outcome in ('posted', 'failed');--> statement-breakpoint
CREATE INDEX "delivery_attempts_failed" ON "delivery_attempts" USING btree ("at") WHERE outcome = 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX "post_deliveries_post_account" ON "post_deliveries" USING btree ("post_id","account_id");--> statement-breakpoint
CREATE INDEX "post_deliveries_due" ON "post_deliveries" USING btree ("next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "post_deliveries_account_open" ON "post_deliveries" USING btree ("account_id","due_at","id") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "post_deliveries_account_queue" ON "post_deliveries" USING btree ("account_id","due_at","id") WHERE next_attempt_at is not null and stage <> 'sent';--> statement-breakpoint
CREATE INDEX "post_deliveries_account_checks" ON "post_deliveries" USING btree ("account_id","due_at","id") WHERE next_attempt_at is not null and stage = 'sent';--> statement-breakpoint
CREATE INDEX "post_deliveries_account_published" ON "post_deliveries" USING btree ("account_id","published_at" DESC NULLS LAST) WHERE published_at is not null;--> statement-breakpoint
CREATE INDEX "post_deliveries_unchecked" ON "post_deliveries" USING btree ("due_at") WHERE status = 'scheduled' and checked_at is null;--> statement-breakpoint
CREATE INDEX "post_deliveries_at_risk" ON "post_deliveries" USING btree ("due_at") WHERE status = 'scheduled' and risk is not null;--> statement-breakpoint
CREATE INDEX "post_deliveries_platform_post" ON "post_deliveries" USING btree ("platform_post_id") WHERE platform_post_id is not null;--> statement-breakpoint
CREATE INDEX "posts_scope_newest" ON "posts" USING btree ("scope_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE status is not null;--> statement-breakpoint
CREATE INDEX "posts_scope_status_newest" ON "posts" USING btree ("scope_id","status","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "posts_scope_calendar" ON "posts" USING btree ("scope_id",coalesce(scheduled_at, created_at)) WHERE status is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "posts_scope_external" ON "posts" USING btree ("scope_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "products_scope" ON "products" USING btree ("scope_id");--> statement-breakpoint
CREATE INDEX "slideshows_scope_newest" ON "slideshows" USING btree ("scope_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE UNIQUE INDEX "templates_scope_name" ON "templates" USING btree ("scope_id","name");--> statement-breakpoint
CREATE INDEX "templates_scope_newest" ON "templates" USING btree ("scope_id","created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "templates_public_newest" ON "templates" USING btree ("created_at" DESC NULLS FIRST,"id" DESC NULLS FIRST) WHERE visibility = 'public';--> statement-breakpoint
CREATE INDEX "members_owner" ON "members" USING btree ("owner_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_scope" ON "subscriptions" USING btree ("scope_id");--> statement-breakpoint
CREATE INDEX "observed_videos_newest" ON "observed_videos" USING btree ("platform","published_at");--> statement-breakpoint
CREATE INDEX "observed_videos_words" ON "observed_videos" USING gin ("words");--> statement-breakpoint
CREATE INDEX "observed_videos_hashtags" ON "observed_videos" USING gin ("hashtags");--> statement-breakpoint
CREATE INDEX "viral_posts_newest" ON "viral_posts" USING btree ("created_at" DESC NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_latest" ON "viral_posts" USING btree ("date_published" DESC NULLS FIRST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_views" ON "viral_posts" USING btree ("views" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_likes" ON "viral_posts" USING btree ("likes" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_comments" ON "viral_posts" USING btree ("comments" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_slides" ON "viral_posts" USING btree ("slide_count" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "viral_posts_category" ON "viral_posts" USING btree ("category");--> statement-breakpoint
CREATE INDEX "viral_posts_app" ON "viral_posts" USING btree ("product_app_id");--> statement-breakpoint
CREATE INDEX "viral_posts_platform" ON "viral_posts" USING btree ("platform");--> statement-breakpoint
CREATE INDEX "viral_posts_business_type" ON "viral_posts" USING btree ("business_type");--> statement-breakpoint
CREATE INDEX "viral_posts_content_type" ON "viral_posts" USING btree ("content_type");--> statement-breakpoint
CREATE INDEX "viral_posts_language" ON "viral_posts" USING btree ("language");--> statement-breakpoint
CREATE INDEX "viral_posts_sponsored" ON "viral_posts" USING btree ("creator_sponsored");--> statement-breakpoint
CREATE INDEX "viral_posts_ad_signal" ON "viral_posts" USING btree ((ad_signal ->> 'status'));