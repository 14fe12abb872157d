-- The trace of deliveries, partitioned by month: rows older than 90 days leave by dropping their month, which takes
-- milliseconds and leaves no dead rows, where a DELETE of some ten million rows would compete with publishing for hours.
-- Written by hand: drizzle-kit knows no partitions. What it knows of the table (the key and the indexes) is as in its schema.
--
-- The table of before becomes the first partition, up to the end of the current month. Attaching it builds two indexes,
-- about a second per million rows, in which no delivery can store a step. One block, so that it happens entirely or not at all.
DO $$
DECLARE
  next_month timestamptz := (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
BEGIN
  ALTER TABLE delivery_attempts RENAME TO delivery_attempts_before;
  ALTER TABLE delivery_attempts_before DROP CONSTRAINT delivery_attempts_pkey;
  ALTER INDEX delivery_attempts_delivery RENAME TO delivery_attempts_before_delivery;
  CREATE TABLE delivery_attempts (LIKE delivery_attempts_before INCLUDING DEFAULTS) PARTITION BY RANGE (at);
  ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_id_at_pk PRIMARY KEY (id, at);
  ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_delivery_id_post_deliveries_id_fk
    FOREIGN KEY (delivery_id) REFERENCES post_deliveries (id) ON DELETE CASCADE;
  CREATE INDEX delivery_attempts_delivery ON delivery_attempts USING btree (delivery_id, id);
  CREATE INDEX delivery_attempts_ended ON delivery_attempts USING btree (at) WHERE outcome IN ('posted', 'failed');
  ALTER SEQUENCE delivery_attempts_id_seq OWNED BY delivery_attempts.id;
  EXECUTE format('ALTER TABLE delivery_attempts ATTACH PARTITION delivery_attempts_before FOR VALUES FROM (MINVALUE) TO (%L)', next_month);
  -- Takes what no month covers, so that a cron that stands still for months stops no delivery.
  CREATE TABLE delivery_attempts_default PARTITION OF delivery_attempts DEFAULT;
END $$;
--> statement-breakpoint
-- Creates the partitions of this month and the next two, drops those that ended before `keep_from`, and returns what it
-- changed. Cron calls it each hour. It gives up after two seconds without a lock, because deliveries wait behind it.
CREATE FUNCTION keep_delivery_attempts(at_time timestamptz, keep_from timestamptz) RETURNS text[]
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
DECLARE
  month timestamp;
  starts timestamptz;
  ends timestamptz;
  partition text;
  changed text[] := '{}';
BEGIN
  -- Another run is at it.
  IF NOT pg_try_advisory_xact_lock(hashtext('keep_delivery_attempts')) THEN RETURN changed; END IF;
  FOR month IN SELECT date_trunc('month', at_time AT TIME ZONE 'UTC') + n * interval '1 month' FROM generate_series(0, 2) n LOOP
    partition := 'delivery_attempts_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(partition) IS NOT NULL;
    starts := month AT TIME ZONE 'UTC';
    ends := (month + interval '1 month') AT TIME ZONE 'UTC';
    BEGIN
      EXECUTE format('CREATE TABLE %I (LIKE delivery_attempts INCLUDING DEFAULTS)', partition);
      -- What came before the partition did lies in the default one, and would forbid to attach it.
      EXECUTE format('WITH moved AS (DELETE FROM delivery_attempts_default WHERE at >= %L AND at < %L RETURNING *)
        INSERT INTO %I SELECT * FROM moved', starts, ends, partition);
      EXECUTE format('ALTER TABLE delivery_attempts ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition, starts, ends);
      changed := changed || ('created ' || partition);
    EXCEPTION WHEN invalid_object_definition THEN
      -- The month overlaps the table of before the partitions.
      NULL;
    END;
  END LOOP;
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'delivery_attempts'::regclass
      AND substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz <= keep_from
  LOOP
    EXECUTE format('DROP TABLE %I', partition);
    changed := changed || ('dropped ' || partition);
  END LOOP;
  DELETE FROM delivery_attempts_default WHERE at < keep_from;
  RETURN changed;
END
$$;
