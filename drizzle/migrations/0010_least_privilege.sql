-- Keys limited to accounts. An event keeps the accounts that it is about, so that such a key, and a webhook that it made, gets
-- those of its accounts only. Approval links that a key asks for, and their fingerprint.
ALTER TABLE "approval_links" ALTER COLUMN "created_by" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "approval_links" ADD COLUMN "message" text;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "account_ids" uuid[];--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "account_ids" uuid[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "account_ids" uuid[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_operation" text;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "account_ids" uuid[];--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "last_operation" text;--> statement-breakpoint
-- What a key could do before these permissions were of their own, it still can.
UPDATE "api_keys" SET "permissions" = "permissions" || '["posts:publish", "posts:approve"]' WHERE "permissions" ? 'posts:write';--> statement-breakpoint
UPDATE "grants" SET "permissions" = "permissions" || '["posts:publish", "posts:approve"]' WHERE "permissions" ? 'posts:write';--> statement-breakpoint
-- Null: about no account. An object that is about accounts and has none, such as the analytics of somebody else's handle, has its
-- own id, which no key is limited to.
CREATE FUNCTION event_accounts(type text, object uuid, snapshot jsonb) RETURNS uuid[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  noun text := split_part(type, '.', 1);
  found uuid[];
BEGIN
  IF noun IN ('post', 'delivery', 'approval') THEN
    SELECT array_agg(d.account_id) INTO found FROM post_deliveries d
      WHERE d.post_id = CASE noun WHEN 'post' THEN object ELSE (snapshot->>'post_id')::uuid END;
  ELSIF noun = 'account' THEN
    found := ARRAY[object];
  ELSIF noun = 'refresh' THEN
    SELECT array_agg(a.id) INTO found FROM analytics_targets t JOIN accounts a ON a.scope_id = t.scope_id AND a.platform = t.platform
        AND t.normalized_identifier IN (lower(ltrim(a.username, '@')), lower(a.external_id), a.external_id)
      WHERE t.id = (snapshot->>'target_id')::uuid;
  ELSIF noun = 'webhook' THEN
    SELECT w.account_ids INTO found FROM webhooks w WHERE w.id = object;
  ELSE
    RETURN NULL;
  END IF;
  RETURN coalesce(found, ARRAY[object]);
END
$$;
--> statement-breakpoint
UPDATE "events" SET "account_ids" = event_accounts("type", "object_id", "snapshot");
--> statement-breakpoint
CREATE OR REPLACE FUNCTION number_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE this_transaction xid8 := pg_current_xact_id();
BEGIN
  INSERT INTO event_counters (scope_id)
    SELECT DISTINCT scope_id FROM new_events WHERE transaction = this_transaction ORDER BY scope_id
    ON CONFLICT DO NOTHING;
  PERFORM FROM event_counters
    WHERE scope_id IN (SELECT scope_id FROM new_events WHERE transaction = this_transaction)
    ORDER BY scope_id FOR UPDATE;
  WITH added_events AS (
    DELETE FROM new_events WHERE transaction = this_transaction RETURNING *
  ), counted_events AS (
    SELECT *, row_number() OVER (PARTITION BY scope_id ORDER BY position) AS place FROM added_events
  ), updated_counters AS (
    UPDATE event_counters c SET last = c.last + n.count, last_at = greatest(c.last_at, date_trunc('milliseconds', clock_timestamp()))
    FROM (SELECT scope_id, count(*) AS count FROM counted_events GROUP BY scope_id) n WHERE n.scope_id = c.scope_id
    RETURNING c.scope_id, c.last - n.count AS before, c.last_at
  ), numbered_events AS (
    INSERT INTO events (scope_id, sequence, id, type, object_id, account_ids, snapshot, created_at)
      SELECT e.scope_id, c.before + e.place, event_id(c.last_at, c.before + e.place), e.type, e.object_id,
        event_accounts(e.type, e.object_id, e.snapshot), e.snapshot, c.last_at
      FROM counted_events e JOIN updated_counters c USING (scope_id)
      RETURNING *
  )
  INSERT INTO webhook_deliveries (id, webhook_id, event_id, sequence, event_at, type, object_id, next_attempt_at)
    SELECT gen_random_uuid(), w.id, e.id, e.sequence, e.created_at, e.type, e.object_id, e.created_at
    FROM numbered_events e JOIN webhooks w ON w.scope_id = e.scope_id
    WHERE w.disabled_at IS NULL AND (w.types = '{*}' OR e.type = ANY (w.types))
      AND (w.account_ids IS NULL OR e.account_ids IS NULL OR e.account_ids <@ w.account_ids);
  RETURN NULL;
END
$$;
--> statement-breakpoint
DROP TRIGGER events_requested ON approval_links;
--> statement-breakpoint
DROP TRIGGER events_approved ON approval_links;
--> statement-breakpoint
DROP TRIGGER events_commented ON approval_links;
--> statement-breakpoint
CREATE TRIGGER events_requested AFTER INSERT ON approval_links FOR EACH ROW
  EXECUTE FUNCTION note_row_event('approval.requested', '{token_hash}');
--> statement-breakpoint
CREATE TRIGGER events_approved AFTER UPDATE OF decision ON approval_links FOR EACH ROW
  WHEN (NEW.decision = 'approved' AND OLD.decision IS NULL) EXECUTE FUNCTION note_row_event('approval.approved', '{token_hash}');
--> statement-breakpoint
CREATE TRIGGER events_commented AFTER UPDATE OF decision ON approval_links FOR EACH ROW
  WHEN (NEW.decision = 'commented' AND OLD.decision IS NULL) EXECUTE FUNCTION note_row_event('approval.commented', '{token_hash}');
