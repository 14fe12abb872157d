CREATE TABLE "connect_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"workspace_id" uuid,
	"scope_id" uuid GENERATED ALWAYS AS (coalesce(workspace_id, owner_id)) STORED NOT NULL,
	"token_hash" text NOT NULL,
	"platforms" text[],
	"label" text,
	"redirect_url" text,
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
ALTER TABLE "accounts" ADD COLUMN "grantor_id" text;--> statement-breakpoint
ALTER TABLE "connections" ADD CONSTRAINT "connections_link_id_connect_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."connect_links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "connect_links_end" ON "connect_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "connections_end" ON "connections" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "connections_link" ON "connections" USING btree ("link_id");--> statement-breakpoint
CREATE INDEX "accounts_grantor" ON "accounts" USING btree ("platform","grantor_id") WHERE grantor_id is not null;