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
	"created_by" text NOT NULL,
	"decision" text,
	"comment" text,
	"decided_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "approval_links_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
ALTER TABLE "approval_links" ADD CONSTRAINT "approval_links_post_id_posts_id_fk" FOREIGN KEY ("post_id") REFERENCES "public"."posts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approval_links_post" ON "approval_links" USING btree ("post_id");--> statement-breakpoint
CREATE INDEX "approval_links_end" ON "approval_links" USING btree ("expires_at");--> statement-breakpoint
-- The audit log names who makes, uses and removes a link; connect links had no trigger yet.
DO $$
DECLARE audited text;
BEGIN
  FOREACH audited IN ARRAY ARRAY['approval_links', 'connect_links'] LOOP
    EXECUTE format($trigger$
      CREATE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW
        WHEN (coalesce(current_setting('audit.actor', true), '') <> '') EXECUTE FUNCTION write_audit_log()
    $trigger$, audited);
  END LOOP;
END
$$;
