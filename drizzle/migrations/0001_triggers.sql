-- Functions and triggers: they keep posts.status, posts.version and post_counts right, whoever changes deliveries, accounts or posts.
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
