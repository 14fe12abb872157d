-- Posts that are taken down: a delivery that is `deleted` is left out when the status of its post is computed, and all
-- deleted is `deleted`.
CREATE OR REPLACE FUNCTION post_status_of(post uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN count(*) = 0 THEN NULL
    WHEN bool_and(d.status = 'deleted') THEN 'deleted'
    WHEN bool_or(d.status = 'draft') THEN 'draft'
    WHEN bool_or(d.status = 'retry') THEN 'retry'
    WHEN bool_or(d.status = 'pending') THEN 'pending'
    WHEN bool_or(d.status = 'scheduled') THEN 'scheduled'
    WHEN bool_and(d.status IN ('posted', 'deleted')) THEN 'posted'
    WHEN bool_or(d.status = 'posted') THEN 'partial'
    WHEN bool_or(d.status = 'failed') THEN 'failed'
    ELSE 'void'
  END
  FROM post_deliveries d
  JOIN accounts a ON a.id = d.account_id
  JOIN posts p ON p.id = d.post_id AND p.scope_id = a.scope_id
  WHERE d.post_id = post
$$;
--> statement-breakpoint
-- `post.unpublished` follows each takedown, also of one account of several. The status that remains is no news: a post whose
-- only published account was taken down has not failed now.
CREATE OR REPLACE FUNCTION deliveries_updated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed uuid[];
  unpublished uuid[];
BEGIN
  SELECT array_agg(DISTINCT a.post_id) FILTER (WHERE a.status <> 'deleted'),
      array_agg(DISTINCT a.post_id) FILTER (WHERE a.status = 'deleted')
    INTO changed, unpublished
    FROM after_rows a JOIN before_rows b USING (id) WHERE a.status IS DISTINCT FROM b.status;
  IF changed IS NOT NULL THEN PERFORM refresh_post_status(changed); END IF;
  IF unpublished IS NOT NULL THEN
    PERFORM set_config('events.unpublishing', 'true', true);
    PERFORM refresh_post_status(unpublished);
    PERFORM set_config('events.unpublishing', '', true);
    PERFORM add_event(p.scope_id, 'post.unpublished', p.id, post_snapshot(p.id))
      FROM posts p WHERE p.id = ANY(unpublished) ORDER BY p.id;
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION note_post_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE event_type text := CASE NEW.status
  WHEN 'scheduled' THEN 'post.scheduled' WHEN 'posted' THEN 'post.published' WHEN 'partial' THEN 'post.partial'
  WHEN 'failed' THEN 'post.failed' END;
BEGIN
  IF event_type IS NOT NULL AND coalesce(current_setting('events.unpublishing', true), '') = '' THEN
    PERFORM add_event(NEW.scope_id, event_type, NEW.id, post_snapshot(NEW.id));
  END IF;
  RETURN NULL;
END
$$;
