-- Functions that every request calls, in PL/pgSQL: a connection keeps their plans, while a function in SQL, or a subquery of the
-- statement, is planned at each call.
--
-- The index is read when an app is deleted.
CREATE INDEX "connections_network_app" ON "connections" USING btree ("network_app_id") WHERE network_app_id is not null;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION clock_of(scope uuid, real_time timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT coalesce(s.frozen_at, real_time + s.clock_offset_ms * interval '1 millisecond')
    FROM sandboxes s WHERE s.scope_id = scope), real_time);
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION post_status_of(post uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT CASE
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
    WHERE d.post_id = post);
END
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION post_snapshot(post uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT to_jsonb(p) - 'payload_hash' || jsonb_build_object('deliveries', coalesce((
      SELECT jsonb_agg(delivery_snapshot(d, a) ORDER BY d.position)
      FROM post_deliveries d JOIN accounts a ON a.id = d.account_id AND a.scope_id = p.scope_id WHERE d.post_id = p.id), '[]'))
    FROM posts p WHERE p.id = post);
END
$$;
--> statement-breakpoint
-- The earlier open delivery of the account that is published before a delivery that is due; a list of at most one. It is empty if
-- that one is of another scope, from before the account moved, even if a later one of this scope waits too.
CREATE FUNCTION waiting_delivery(account uuid, due timestamptz, delivery uuid, scope uuid) RETURNS json LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((
    SELECT json_agg(json_build_object('postId', first.post_id,
      'isUnderWay', coalesce(first.lease_until > clock_of(scope, now()), false), 'nextAttemptAt', first.next_attempt_at,
      'deadlineAt', first.deadline_at, 'errorMessage', first.error_message))
    FROM (
      SELECT * FROM post_deliveries d
      WHERE d.account_id = account AND d.next_attempt_at IS NOT NULL AND d.stage NOT IN ('sent', 'done') AND (d.due_at, d.id) < (due, delivery)
      ORDER BY d.due_at, d.id LIMIT 1
    ) first
    WHERE (SELECT p.scope_id FROM posts p WHERE p.id = first.post_id) = scope), '[]');
END
$$;
--> statement-breakpoint
-- The posts of an account around an instant, in the order of their times: those that wait and those that are out, the nearest
-- before and after it, each read from an index up to its limit. Each post is looked up by its id alone, and the scope compared
-- afterwards: without statistics the planner would read all posts of the scope for each.
CREATE FUNCTION nearby_posts(account uuid, scope uuid, instant timestamptz, hours integer, max_per_kind integer) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE reach interval := hours * interval '1 hour';
BEGIN
  RETURN coalesce((
    SELECT json_agg(json_build_object('postId', nearby.post_id, 'at', nearby.at, 'textHash', nearby_text.hash) ORDER BY nearby.at)
    FROM (
      -- Waiting, before.
      (SELECT d.post_id, d.due_at AS at FROM post_deliveries d
        WHERE d.account_id = account AND d.status <> 'deleted' AND d.next_attempt_at IS NOT NULL AND d.published_at IS NULL
          AND d.due_at >= instant - reach AND d.due_at < instant ORDER BY d.due_at DESC LIMIT max_per_kind)
      UNION ALL -- Waiting, after.
      (SELECT d.post_id, d.due_at FROM post_deliveries d
        WHERE d.account_id = account AND d.status <> 'deleted' AND d.next_attempt_at IS NOT NULL AND d.published_at IS NULL
          AND d.due_at >= instant AND d.due_at <= instant + reach ORDER BY d.due_at LIMIT max_per_kind)
      UNION ALL -- Published, before.
      (SELECT d.post_id, d.published_at FROM post_deliveries d
        WHERE d.account_id = account AND d.status <> 'deleted' AND d.published_at >= instant - reach AND d.published_at < instant
        ORDER BY d.published_at DESC LIMIT max_per_kind)
      UNION ALL -- Published, after.
      (SELECT d.post_id, d.published_at FROM post_deliveries d
        WHERE d.account_id = account AND d.status <> 'deleted' AND d.published_at >= instant AND d.published_at <= instant + reach
        ORDER BY d.published_at LIMIT max_per_kind)
    ) nearby CROSS JOIN LATERAL (
      SELECT encode(sha256(convert_to(coalesce((SELECT own->>'caption' FROM jsonb_array_elements(p.overrides) own
          WHERE own->>'account_id' = account::text AND own ? 'caption'), p.caption), 'UTF8')), 'hex') AS hash, p.scope_id
      FROM posts p WHERE p.id = nearby.post_id LIMIT 1
    ) nearby_text
    WHERE nearby_text.scope_id = scope), '[]');
END
$$;
--> statement-breakpoint
-- True if the open uploads of an app, on the day of the instant in the zone, reach the limit of the app. `app` is null for the app of the
-- deployment, whose limit is `own_limit`; `default_limit` is that of a customer's app without one. `test_scope` is null in live mode.
CREATE FUNCTION has_full_upload_day(network text, app uuid, test_scope uuid, instant timestamptz, zone text, own_limit integer, default_limit integer)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  day date := (instant AT TIME ZONE zone)::date;
  most integer := own_limit;
BEGIN
  IF app IS NOT NULL THEN
    most := coalesce((SELECT n.uploads_per_day FROM network_apps n WHERE n.id = app), default_limit);
  END IF;
  RETURN (SELECT count(*) >= most FROM (
    SELECT 1 FROM accounts a JOIN post_deliveries d ON d.account_id = a.id
    WHERE a.platform = network AND a.type = 'byo' AND a.network_app_id IS NOT DISTINCT FROM app
      AND CASE WHEN test_scope IS NULL THEN NOT EXISTS (SELECT 1 FROM sandboxes s WHERE s.scope_id = a.scope_id) ELSE a.scope_id = test_scope END
      AND d.next_attempt_at IS NOT NULL AND d.due_at >= day::timestamp AT TIME ZONE zone AND d.due_at < (day + 1)::timestamp AT TIME ZONE zone
    LIMIT most) planned_uploads);
END
$$;
