-- Events: the rows that a statement changes become events in the same transaction. Row triggers note what happened, and at
-- the commit one deferred trigger numbers it and hands it to the webhooks that want it.
--
-- The number of a scope is a row that the transaction locks until it commits. So numbers ascend in the order of commits, a
-- reader that sees a number has seen all before it, and a transaction that rolls back takes no number. The lock is the last
-- one that a transaction takes, in the order of scopes: it never waits for a row while it holds one.
CREATE UNLOGGED TABLE new_events (
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  position bigint GENERATED ALWAYS AS IDENTITY,
  -- Of its transaction: only this row makes the deferred trigger run.
  is_first boolean NOT NULL,
  scope_id uuid NOT NULL,
  type text NOT NULL,
  object_id uuid NOT NULL,
  snapshot jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX new_events_transaction ON new_events (transaction, position);
--> statement-breakpoint
CREATE FUNCTION add_event(scope uuid, type text, object uuid, snapshot jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  this_transaction text := pg_current_xact_id()::text;
  is_first boolean := current_setting('events.transaction', true) IS DISTINCT FROM this_transaction;
BEGIN
  IF is_first THEN PERFORM set_config('events.transaction', this_transaction, true); END IF;
  INSERT INTO new_events (is_first, scope_id, type, object_id, snapshot) VALUES (is_first, scope, type, object, snapshot);
END
$$;
--> statement-breakpoint
-- UUIDv7: the time, then the number, then 32 random bits. Ids sort by time and, in one scope, by number.
CREATE FUNCTION event_id(at_time timestamptz, number bigint) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM at_time) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(number >> 30), 3, '0')
    || to_hex(2147483648 + (number & 1073741823)) || substr(md5(gen_random_uuid()::text), 1, 8))::uuid
$$;
--> statement-breakpoint
CREATE FUNCTION number_events() RETURNS trigger LANGUAGE plpgsql AS $$
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
    INSERT INTO events (scope_id, sequence, id, type, object_id, snapshot, created_at)
      SELECT e.scope_id, c.before + e.place, event_id(c.last_at, c.before + e.place), e.type, e.object_id, e.snapshot, c.last_at
      FROM counted_events e JOIN updated_counters c USING (scope_id)
      RETURNING *
  )
  INSERT INTO webhook_deliveries (id, webhook_id, event_id, sequence, event_at, type, object_id, next_attempt_at)
    SELECT gen_random_uuid(), w.id, e.id, e.sequence, e.created_at, e.type, e.object_id, e.created_at
    FROM numbered_events e JOIN webhooks w ON w.scope_id = e.scope_id
    WHERE w.disabled_at IS NULL AND (w.types = '{*}' OR e.type = ANY (w.types));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER number_events AFTER INSERT ON new_events
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.is_first) EXECUTE FUNCTION number_events();
--> statement-breakpoint
-- The rows of an object as a read of it needs them. Tokens, leases and what a driver keeps stay out.
CREATE FUNCTION account_snapshot(a accounts) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', a.id, 'platform', a.platform, 'type', a.type, 'username', a.username, 'display_name', a.display_name,
    'status', a.status, 'status_reason', a.status_reason, 'workspace_id', a.workspace_id, 'token_version', a.token_version,
    'token_expires_at', a.token_expires_at, 'refresh_token_expires_at', a.refresh_token_expires_at,
    'has_refresh_token', a.refresh_token IS NOT NULL)
$$;
--> statement-breakpoint
CREATE FUNCTION delivery_snapshot(d post_deliveries, a accounts) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(d) - '{handle,lease_token,lease_until,claims,claimed_at,ready_at,checked_at,armed_at}'::text[]
    || jsonb_build_object('account', account_snapshot(a))
$$;
--> statement-breakpoint
CREATE FUNCTION post_snapshot(post uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(p) - 'payload_hash' || jsonb_build_object('deliveries', coalesce((
      SELECT jsonb_agg(delivery_snapshot(d, a) ORDER BY d.position)
      FROM post_deliveries d JOIN accounts a ON a.id = d.account_id AND a.scope_id = p.scope_id WHERE d.post_id = p.id), '[]'))
  FROM posts p WHERE p.id = post
$$;
--> statement-breakpoint
-- One function per table. Each trigger names the changes that are events, so that no other change costs a call.
CREATE FUNCTION note_post_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE event_type text := CASE NEW.status
  WHEN 'scheduled' THEN 'post.scheduled' WHEN 'posted' THEN 'post.published' WHEN 'partial' THEN 'post.partial'
  WHEN 'failed' THEN 'post.failed' WHEN 'deleted' THEN 'post.unpublished' END;
BEGIN
  PERFORM add_event(NEW.scope_id, event_type, NEW.id, post_snapshot(NEW.id));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_insert AFTER INSERT ON posts FOR EACH ROW
  WHEN (NEW.status = 'scheduled') EXECUTE FUNCTION note_post_event();
--> statement-breakpoint
CREATE TRIGGER events_update AFTER UPDATE OF status, scheduled_at ON posts FOR EACH ROW
  WHEN (NEW.status IN ('scheduled', 'posted', 'partial', 'failed', 'deleted') AND NEW.status IS DISTINCT FROM OLD.status
    OR NEW.status = 'scheduled' AND NEW.scheduled_at IS DISTINCT FROM OLD.scheduled_at)
  EXECUTE FUNCTION note_post_event();
--> statement-breakpoint
CREATE FUNCTION note_delivery_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event_type text := CASE WHEN NEW.status = 'failed' THEN 'delivery.failed' WHEN OLD.status = 'posted' THEN 'delivery.url_known'
    ELSE 'delivery.published' END;
BEGIN
  PERFORM add_event(p.scope_id, event_type, NEW.id, delivery_snapshot(NEW, a))
    FROM posts p JOIN accounts a ON a.id = NEW.account_id AND a.scope_id = p.scope_id WHERE p.id = NEW.post_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_update AFTER UPDATE OF status, published_url ON post_deliveries FOR EACH ROW
  WHEN (NEW.status IN ('posted', 'failed') AND NEW.status IS DISTINCT FROM OLD.status
    OR NEW.status = 'posted' AND OLD.published_url IS NULL AND NEW.published_url IS NOT NULL)
  EXECUTE FUNCTION note_delivery_event();
--> statement-breakpoint
CREATE FUNCTION note_risk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_event(p.scope_id, 'post.at_risk', p.id, post_snapshot(p.id)) FROM posts p WHERE p.id = NEW.post_id AND p.status = 'scheduled';
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_risk AFTER UPDATE OF risk ON post_deliveries FOR EACH ROW
  WHEN (NEW.status = 'scheduled' AND NEW.risk IS NOT NULL AND OLD.risk IS DISTINCT FROM NEW.risk) EXECUTE FUNCTION note_risk();
--> statement-breakpoint
-- An account that stops working puts its scheduled posts at risk.
CREATE FUNCTION note_account_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE was text := CASE TG_OP WHEN 'UPDATE' THEN OLD.status END;
BEGIN
  IF NEW.status = 'active' AND was IS DISTINCT FROM 'paused' THEN
    PERFORM add_event(NEW.scope_id, 'account.connected', NEW.id, account_snapshot(NEW));
  ELSIF NEW.status IN ('disconnected', 'revoked') THEN
    PERFORM add_event(NEW.scope_id, 'account.disconnected', NEW.id, account_snapshot(NEW));
  END IF;
  IF was = 'active' THEN
    PERFORM add_event(p.scope_id, 'post.at_risk', p.id, post_snapshot(p.id))
      FROM post_deliveries d JOIN posts p ON p.id = d.post_id AND p.scope_id = NEW.scope_id
      WHERE d.account_id = NEW.id AND d.status = 'scheduled' AND d.next_attempt_at IS NOT NULL ORDER BY d.due_at, d.id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_insert AFTER INSERT ON accounts FOR EACH ROW
  WHEN (NEW.status = 'active') EXECUTE FUNCTION note_account_event();
--> statement-breakpoint
CREATE TRIGGER events_update AFTER UPDATE OF status ON accounts FOR EACH ROW
  WHEN (NEW.status IS DISTINCT FROM OLD.status AND NOT (NEW.status = 'revoked' AND OLD.status = 'disconnected'))
  EXECUTE FUNCTION note_account_event();
--> statement-breakpoint
CREATE FUNCTION note_reconnect_soon() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_event(NEW.scope_id, 'account.reconnect_soon', NEW.id, account_snapshot(NEW));
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_reconnect AFTER UPDATE OF reconnect_announced_for ON accounts FOR EACH ROW
  WHEN (NEW.reconnect_announced_for IS NOT NULL AND NEW.reconnect_announced_for IS DISTINCT FROM OLD.reconnect_announced_for)
  EXECUTE FUNCTION note_reconnect_soon();
--> statement-breakpoint
-- For tables whose row is all that a read of the object needs. The arguments are the type of the event and columns to leave out.
CREATE FUNCTION note_row_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_event(NEW.scope_id, TG_ARGV[0], NEW.id, to_jsonb(NEW) - coalesce(TG_ARGV[1], '{}')::text[]);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_verified AFTER INSERT ON files FOR EACH ROW
  WHEN (NEW.origin = 'upload') EXECUTE FUNCTION note_row_event('file.verified', '{object_key}');
--> statement-breakpoint
CREATE TRIGGER events_rejected AFTER UPDATE OF state ON uploads FOR EACH ROW
  WHEN (NEW.state = 'rejected' AND OLD.state <> 'rejected') EXECUTE FUNCTION note_row_event('file.rejected', '{object_key,multipart_id,parts_hash}');
--> statement-breakpoint
CREATE TRIGGER events_rendered AFTER UPDATE OF status, last_rendered_at ON slideshows FOR EACH ROW
  WHEN (NEW.status = 'rendered' AND (OLD.status <> 'rendered' OR NEW.last_rendered_at IS DISTINCT FROM OLD.last_rendered_at))
  EXECUTE FUNCTION note_row_event('slideshow.rendered', '{generation}');
--> statement-breakpoint
CREATE TRIGGER events_requested AFTER INSERT ON approval_links FOR EACH ROW
  EXECUTE FUNCTION note_row_event('approval.requested', '{token_hash,plan_hash}');
--> statement-breakpoint
CREATE TRIGGER events_approved AFTER UPDATE OF decision ON approval_links FOR EACH ROW
  WHEN (NEW.decision = 'approved' AND OLD.decision IS NULL) EXECUTE FUNCTION note_row_event('approval.approved', '{token_hash,plan_hash}');
--> statement-breakpoint
CREATE TRIGGER events_commented AFTER UPDATE OF decision ON approval_links FOR EACH ROW
  WHEN (NEW.decision = 'commented' AND OLD.decision IS NULL) EXECUTE FUNCTION note_row_event('approval.commented', '{token_hash,plan_hash}');
--> statement-breakpoint
CREATE TRIGGER events_disabled AFTER UPDATE OF disabled_at ON webhooks FOR EACH ROW
  WHEN (NEW.disabled_reason = 'failures' AND OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL)
  EXECUTE FUNCTION note_row_event('webhook.disabled', '{secret,previous_secret}');
--> statement-breakpoint
CREATE FUNCTION note_captions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_event(p.scope_id, 'captions.added', p.id, to_jsonb(p) - '{previous,transcript}'::text[])
    FROM editor_projects p WHERE p.id = NEW.project_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_captions AFTER INSERT ON editor_activity FOR EACH ROW
  WHEN (NEW.kind = 'captions_added') EXECUTE FUNCTION note_captions();
--> statement-breakpoint
CREATE FUNCTION note_refresh() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_event(t.scope_id, 'refresh.' || NEW.status, NEW.id,
      to_jsonb(NEW) - '{cursor,lease_token,lease_until,claims}'::text[] || jsonb_build_object('workspace_id', t.workspace_id))
    FROM analytics_targets t WHERE t.id = NEW.target_id AND t.deleted_at IS NULL;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER events_ended AFTER UPDATE OF status ON analytics_refreshes FOR EACH ROW
  WHEN (NEW.status IN ('completed', 'failed') AND OLD.status NOT IN ('completed', 'failed')) EXECUTE FUNCTION note_refresh();
--> statement-breakpoint
-- The feed, partitioned by month: rows older than 30 days leave by dropping their month. The table is still empty.
DO $$
DECLARE
  next_month timestamptz := (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
BEGIN
  ALTER TABLE events RENAME TO events_before;
  ALTER TABLE events_before DROP CONSTRAINT events_scope_id_sequence_created_at_pk;
  DROP INDEX events_scope_type, events_scope_object;
  CREATE TABLE events (LIKE events_before INCLUDING DEFAULTS) PARTITION BY RANGE (created_at);
  ALTER TABLE events ADD CONSTRAINT events_scope_id_sequence_created_at_pk PRIMARY KEY (scope_id, sequence, created_at);
  CREATE INDEX events_scope_type ON events USING btree (scope_id, type, sequence);
  CREATE INDEX events_scope_object ON events USING btree (scope_id, object_id, sequence);
  EXECUTE format('ALTER TABLE events ATTACH PARTITION events_before FOR VALUES FROM (MINVALUE) TO (%L)', next_month);
  -- Takes the rows of months without a partition, so that a cron that stands still for months stops no statement.
  CREATE TABLE events_default PARTITION OF events DEFAULT;
END $$;
