-- Grants of OAuth: clients, the codes and tokens of consents, and what a grant keeps of its consent.
CREATE TABLE "grant_access_tokens" (
	"public_id" text PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"grant_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "grant_codes" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"grant_id" uuid NOT NULL,
	"redirect_uri" text NOT NULL,
	"code_challenge" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "grant_refresh_tokens" (
	"public_id" text PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"grant_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp (3) with time zone,
	"successor_id" text
);
--> statement-breakpoint
CREATE TABLE "oauth_clients" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"redirect_uris" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "client_id" text;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "client_host" text;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "resource" text;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "created_by" uuid;--> statement-breakpoint
ALTER TABLE "grant_access_tokens" ADD CONSTRAINT "grant_access_tokens_grant_id_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."grants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grant_codes" ADD CONSTRAINT "grant_codes_grant_id_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."grants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "grant_refresh_tokens" ADD CONSTRAINT "grant_refresh_tokens_grant_id_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."grants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "grant_access_tokens_grant" ON "grant_access_tokens" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "grant_access_tokens_expires_at" ON "grant_access_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "grant_codes_grant" ON "grant_codes" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "grant_refresh_tokens_grant" ON "grant_refresh_tokens" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "grant_refresh_tokens_used_at" ON "grant_refresh_tokens" USING btree ("used_at");--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_created_by_owners_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."owners"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "grants_client" ON "grants" USING btree ("client_id");