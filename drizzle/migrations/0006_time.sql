-- Time zones of workspaces, and of a person's data that belongs to none.
ALTER TABLE workspaces ADD COLUMN time_zone text DEFAULT 'UTC' NOT NULL;
--> statement-breakpoint
ALTER TABLE owners ADD COLUMN time_zone text DEFAULT 'UTC' NOT NULL;
--> statement-breakpoint
-- Times by a clock: as they were given, and the zone whose rules they follow.
ALTER TABLE posts ADD COLUMN schedule jsonb;
--> statement-breakpoint
ALTER TABLE posts ADD COLUMN schedule_zone text;
--> statement-breakpoint
CREATE INDEX posts_by_clock ON posts USING btree (scheduled_at, id) WHERE schedule_zone is not null and status = 'scheduled';
--> statement-breakpoint
-- The audit log names the scope of a record.
ALTER TABLE workspaces ADD COLUMN scope_id uuid GENERATED ALWAYS AS (id) STORED NOT NULL;
--> statement-breakpoint
CREATE TRIGGER audited AFTER UPDATE OF time_zone ON workspaces FOR EACH ROW
  WHEN (coalesce(current_setting('audit.actor', true), '') <> '') EXECUTE FUNCTION write_audit_log();
--> statement-breakpoint
-- Weekly slots of an account.
CREATE TABLE account_slots (
  account_id uuid PRIMARY KEY NOT NULL REFERENCES accounts(id) ON DELETE cascade,
  scope_id uuid NOT NULL,
  id uuid GENERATED ALWAYS AS (account_id) STORED NOT NULL,
  time_zone text NOT NULL,
  slots jsonb NOT NULL,
  updated_at timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON account_slots FOR EACH ROW
  WHEN (coalesce(current_setting('audit.actor', true), '') <> '') EXECUTE FUNCTION write_audit_log();
