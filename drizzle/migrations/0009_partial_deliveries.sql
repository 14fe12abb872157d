-- A delivery whose post is out and whose thread is not complete is partial, and so is its post. The permalink of a post that
-- has parts is looked up once they are out, by what its driver keeps of it.
ALTER TABLE "post_deliveries" ADD COLUMN "post_handle" jsonb;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION post_status_of(post uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN count(*) = 0 THEN NULL
    WHEN bool_and(d.status = 'deleted') THEN 'deleted'
    WHEN bool_or(d.status = 'draft') THEN 'draft'
    WHEN bool_or(d.status = 'retry') THEN 'retry'
    WHEN bool_or(d.status = 'pending') THEN 'pending'
    WHEN bool_or(d.status = 'scheduled') THEN 'scheduled'
    WHEN bool_and(d.status IN ('posted', 'deleted')) THEN 'posted'
    WHEN bool_or(d.status IN ('posted', 'partial')) THEN 'partial'
    WHEN bool_or(d.status = 'failed') THEN 'failed'
    ELSE 'void'
  END
  FROM post_deliveries d
  JOIN accounts a ON a.id = d.account_id
  JOIN posts p ON p.id = d.post_id AND p.scope_id = a.scope_id
  WHERE d.post_id = post
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION delivery_snapshot(d post_deliveries, a accounts) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT to_jsonb(d) - '{handle,post_handle,lease_token,lease_until,claims,claimed_at,ready_at,checked_at,armed_at}'::text[]
    || jsonb_build_object('account', account_snapshot(a))
$$;
--> statement-breakpoint
-- A thread that ends before its last reply has failed on this account, and its state says that the post is out.
CREATE OR REPLACE FUNCTION note_delivery_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event_type text := CASE WHEN NEW.status IN ('failed', 'partial') THEN 'delivery.failed'
    WHEN OLD.status = 'posted' THEN 'delivery.url_known' ELSE 'delivery.published' END;
BEGIN
  PERFORM add_event(p.scope_id, event_type, NEW.id, delivery_snapshot(NEW, a))
    FROM posts p JOIN accounts a ON a.id = NEW.account_id AND a.scope_id = p.scope_id WHERE p.id = NEW.post_id;
  RETURN NULL;
END
$$;
--> statement-breakpoint
DROP TRIGGER events_update ON post_deliveries;
--> statement-breakpoint
CREATE TRIGGER events_update AFTER UPDATE OF status, published_url ON post_deliveries FOR EACH ROW
  WHEN (NEW.status IN ('posted', 'partial', 'failed') AND NEW.status IS DISTINCT FROM OLD.status
    OR NEW.status = 'posted' AND OLD.status = 'posted' AND OLD.published_url IS NULL AND NEW.published_url IS NOT NULL)
  EXECUTE FUNCTION note_delivery_event();
