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
ALTER TABLE "editor_activity" ADD CONSTRAINT "editor_activity_project_id_editor_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."editor_projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "editor_activity_project" ON "editor_activity" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "editor_projects_scope_newest" ON "editor_projects" USING btree ("scope_id","updated_at" DESC NULLS FIRST,"id" DESC NULLS FIRST);--> statement-breakpoint
CREATE UNIQUE INDEX "speech_transcripts_range" ON "speech_transcripts" USING btree ("scope_id","sha256","recogniser","start_ms","end_ms");