-- Triggers: they keep posts.status, posts.version and post_counts right, whoever changes deliveries, accounts or posts, and
-- write the audit log. Last, the partitions by month, which drizzle-kit does not know.
--
-- A post's status is a function of its deliveries to accounts of its own scope; null when there is none.
CREATE FUNCTION post_status_of(post uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN count(*) = 0 THEN NULL
    WHEN bool_or(d.status = 'draft') THEN 'draft'
    WHEN bool_or(d.status = 'retry') THEN 'retry'
    WHEN bool_or(d.status = 'pending') THEN 'pending'
    WHEN bool_or(d.status = 'scheduled') THEN 'scheduled'
    WHEN bool_and(d.status = 'posted') THEN 'posted'
    WHEN bool_or(d.status = 'posted') THEN 'partial'
    WHEN bool_or(d.status = 'failed') THEN 'failed'
    WHEN bool_or(d.status = 'deleted') THEN 'deleted'
    ELSE 'void'
  END
  FROM post_deliveries d
  JOIN accounts a ON a.id = d.account_id
  JOIN posts p ON p.id = d.post_id AND p.scope_id = a.scope_id
  WHERE d.post_id = post
$$;
--> statement-breakpoint
-- The rows are locked first, in the order of their ids: two deliveries of one post that end at the same moment each
-- see the other, and statements that touch the same posts never wait for each other in a circle.
CREATE FUNCTION refresh_post_status(changed uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM posts WHERE id = ANY(changed) ORDER BY id FOR UPDATE;
  UPDATE posts p SET status = post_status_of(p.id), version = version + 1, updated_at = now()
    WHERE p.id = ANY(changed) AND p.status IS DISTINCT FROM post_status_of(p.id);
END
$$;
--> statement-breakpoint
CREATE FUNCTION deliveries_updated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changed uuid[];
BEGIN
  SELECT array_agg(DISTINCT a.post_id) INTO changed
    FROM after_rows a JOIN before_rows b USING (id) WHERE a.status IS DISTINCT FROM b.status;
  IF changed IS NOT NULL THEN PERFORM refresh_post_status(changed); END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER deliveries_updated AFTER UPDATE ON post_deliveries
  REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION deliveries_updated();
--> statement-breakpoint
CREATE FUNCTION deliveries_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE changed uuid[];
BEGIN
  SELECT array_agg(DISTINCT post_id) INTO changed FROM before_rows;
  IF changed IS NOT NULL THEN PERFORM refresh_post_status(changed); END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER deliveries_deleted AFTER DELETE ON post_deliveries
  REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT EXECUTE FUNCTION deliveries_deleted();
--> statement-breakpoint
CREATE FUNCTION account_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM refresh_post_status(array_agg(post_id)) FROM post_deliveries WHERE account_id = NEW.id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER account_moved AFTER UPDATE OF owner_id, workspace_id ON accounts
  FOR EACH ROW WHEN (OLD.scope_id IS DISTINCT FROM NEW.scope_id) EXECUTE FUNCTION account_moved();
--> statement-breakpoint
-- Counts per scope, UTC day and status. Changed in the order of their keys, for the same reason as above.
CREATE FUNCTION posts_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO post_counts AS c (scope_id, day, status, count)
      SELECT scope_id, (created_at AT TIME ZONE 'UTC')::date, status, count(*) FROM after_rows
      WHERE status IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (scope_id, day, status) DO UPDATE SET count = c.count + excluded.count;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO post_counts AS c (scope_id, day, status, count)
      SELECT scope_id, (created_at AT TIME ZONE 'UTC')::date, status, -count(*) FROM before_rows
      WHERE status IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (scope_id, day, status) DO UPDATE SET count = c.count + excluded.count;
  ELSE
    INSERT INTO post_counts AS c (scope_id, day, status, count)
      SELECT scope_id, (created_at AT TIME ZONE 'UTC')::date, status, sum(n) FROM (
        SELECT scope_id, created_at, status, 1 AS n FROM after_rows
        UNION ALL SELECT scope_id, created_at, status, -1 FROM before_rows) changes
      WHERE status IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3
      ON CONFLICT (scope_id, day, status) DO UPDATE SET count = c.count + excluded.count;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER posts_counted_insert AFTER INSERT ON posts
  REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION posts_counted();
--> statement-breakpoint
CREATE TRIGGER posts_counted_update AFTER UPDATE ON posts
  REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION posts_counted();
--> statement-breakpoint
CREATE TRIGGER posts_counted_delete AFTER DELETE ON posts
  REFERENCING OLD TABLE AS before_rows FOR EACH STATEMENT EXECUTE FUNCTION posts_counted();
--> statement-breakpoint
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
  FOREACH audited IN ARRAY ARRAY['accounts', 'analytics_targets', 'api_keys', 'approval_links', 'connect_links', 'editor_projects',
    'files', 'folders', 'grants', 'invitations', 'members', 'network_apps', 'packs', 'posts', 'slideshows', 'templates', 'uploads', 'webhooks'] LOOP
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
--> statement-breakpoint
-- The trace of deliveries, partitioned by month: rows older than 90 days leave by dropping their month, which takes
-- milliseconds and leaves no dead rows, where a DELETE of some ten million rows would compete with publishing for hours.
--
-- The generated table becomes the first partition, up to the end of the current month; keys and indexes are those of the schema.
DO $$
DECLARE
  next_month timestamptz := (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
BEGIN
  ALTER TABLE delivery_attempts RENAME TO delivery_attempts_before;
  ALTER TABLE delivery_attempts_before DROP CONSTRAINT delivery_attempts_id_at_pk;
  ALTER INDEX delivery_attempts_delivery RENAME TO delivery_attempts_before_delivery;
  DROP INDEX delivery_attempts_ended, delivery_attempts_failed;
  CREATE TABLE delivery_attempts (LIKE delivery_attempts_before INCLUDING DEFAULTS) PARTITION BY RANGE (at);
  ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_id_at_pk PRIMARY KEY (id, at);
  ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_delivery_id_post_deliveries_id_fk
    FOREIGN KEY (delivery_id) REFERENCES post_deliveries (id) ON DELETE CASCADE;
  CREATE INDEX delivery_attempts_delivery ON delivery_attempts USING btree (delivery_id, id);
  CREATE INDEX delivery_attempts_ended ON delivery_attempts USING btree (at) WHERE outcome IN ('posted', 'failed');
  CREATE INDEX delivery_attempts_failed ON delivery_attempts USING btree (at) WHERE outcome = 'failed';
  ALTER SEQUENCE delivery_attempts_id_seq OWNED BY delivery_attempts.id;
  EXECUTE format('ALTER TABLE delivery_attempts ATTACH PARTITION delivery_attempts_before FOR VALUES FROM (MINVALUE) TO (%L)', next_month);
  -- Takes the rows of months without a partition, so that a cron that stands still for months stops no delivery.
  CREATE TABLE delivery_attempts_default PARTITION OF delivery_attempts DEFAULT;
END $$;
--> statement-breakpoint
-- Creates the partitions of this month and the next two, drops those that ended before `keep_from`, and returns what it
-- changed. Cron calls it each hour. It gives up after two seconds without a lock, because deliveries wait behind it.
CREATE FUNCTION keep_partitions(parent text, time_column text, at_time timestamptz, keep_from timestamptz) RETURNS text[]
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  month timestamp;
  starts timestamptz;
  ends timestamptz;
  partition text;
  changed text[] := '{}';
BEGIN
  -- Another run does it.
  IF NOT pg_try_advisory_xact_lock(hashtext('keep_partitions ' || parent)) THEN RETURN changed; END IF;
  FOR month IN SELECT date_trunc('month', at_time AT TIME ZONE 'UTC') + n * interval '1 month' FROM generate_series(0, 2) n LOOP
    partition := parent || '_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(partition) IS NOT NULL;
    starts := month AT TIME ZONE 'UTC';
    ends := (month + interval '1 month') AT TIME ZONE 'UTC';
    BEGIN
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS)', partition, parent);
      -- Rows of the month that the default partition took would forbid to attach the new one.
      EXECUTE format('WITH moved_rows AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *)
        INSERT INTO %I SELECT * FROM moved_rows', parent || '_default', time_column, starts, time_column, ends, partition);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, partition, starts, ends);
      changed := changed || ('created ' || partition);
    EXCEPTION WHEN invalid_object_definition THEN
      -- The month overlaps the first partition.
      NULL;
    END;
  END LOOP;
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = parent::regclass
      AND substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz <= keep_from
  LOOP
    EXECUTE format('DROP TABLE %I', partition);
    changed := changed || ('dropped ' || partition);
  END LOOP;
  EXECUTE format('DELETE FROM %I WHERE %I < %L', parent || '_default', time_column, keep_from);
  RETURN changed;
END
$$;
