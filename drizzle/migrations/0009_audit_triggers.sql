-- The audit log: a row per record that a person, a key or a grant changes, in the statement that changes it.
--
-- `audit.actor` is set by lib/services/database.ts for the transaction of a request that writes; cron and queues set none.
-- A record that one transaction changes several times, such as a post whose deliveries change, leaves one row.
CREATE FUNCTION write_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  actor jsonb := current_setting('audit.actor')::jsonb;
  changed record := coalesce(NEW, OLD);
  this_transaction bigint := pg_current_xact_id()::text::bigint;
BEGIN
  INSERT INTO audit_log (scope_id, actor_kind, actor_id, actor_name, action, noun, record_id, request_id, transaction)
    SELECT changed.scope_id, actor->>'kind', (actor->>'id')::uuid, actor->>'name', actor->>'action', TG_TABLE_NAME,
      changed.id, actor->>'request_id', this_transaction
    WHERE NOT EXISTS (SELECT 1 FROM audit_log WHERE record_id = changed.id AND transaction = this_transaction);
  RETURN NULL;
END
$$;
--> statement-breakpoint
DO $$
DECLARE audited text;
BEGIN
  FOREACH audited IN ARRAY ARRAY['accounts', 'analytics_targets', 'api_keys', 'editor_projects', 'files', 'folders', 'grants',
    'invitations', 'members', 'packs', 'posts', 'slideshows', 'templates', 'uploads'] LOOP
    EXECUTE format($trigger$
      CREATE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW
        WHEN (coalesce(current_setting('audit.actor', true), '') <> '') EXECUTE FUNCTION write_audit_log()
    $trigger$, audited);
  END LOOP;
END
$$;
--> statement-breakpoint
-- Images of packs and items of folders are no records of their own: their change is one of the pack or folder. Its arguments
-- are the table of that record and the column with its id; a record that is deleted with them has a row already.
CREATE FUNCTION write_audit_log_of_owner() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  actor jsonb := current_setting('audit.actor')::jsonb;
  owner_id uuid := (to_jsonb(coalesce(NEW, OLD))->>TG_ARGV[1])::uuid;
  this_transaction bigint := pg_current_xact_id()::text::bigint;
BEGIN
  EXECUTE format($insert$
    INSERT INTO audit_log (scope_id, actor_kind, actor_id, actor_name, action, noun, record_id, request_id, transaction)
      SELECT owner.scope_id, $1->>'kind', ($1->>'id')::uuid, $1->>'name', $1->>'action', %L, owner.id, $1->>'request_id', $3
      FROM %I owner
      WHERE owner.id = $2 AND NOT EXISTS (SELECT 1 FROM audit_log WHERE record_id = $2 AND transaction = $3)
  $insert$, TG_ARGV[0], TG_ARGV[0]) USING actor, owner_id, this_transaction;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON pack_images FOR EACH ROW
  WHEN (coalesce(current_setting('audit.actor', true), '') <> '') EXECUTE FUNCTION write_audit_log_of_owner('packs', 'pack_id');
--> statement-breakpoint
CREATE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON folder_items FOR EACH ROW
  WHEN (coalesce(current_setting('audit.actor', true), '') <> '') EXECUTE FUNCTION write_audit_log_of_owner('folders', 'folder_id');
