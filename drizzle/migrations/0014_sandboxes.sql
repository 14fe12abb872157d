-- Test modes: each is a scope of its own with a clock that can be ahead of real time. What triggers date follows that clock.
CREATE TABLE "sandboxes" (
	"scope_id" uuid PRIMARY KEY NOT NULL,
	"live_scope_id" uuid NOT NULL,
	"clock_offset_ms" bigint DEFAULT 0 NOT NULL,
	"frozen_at" timestamp (3) with time zone,
	"resets" integer DEFAULT 0 NOT NULL,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"is_requested" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sandboxes_live_scope_id_unique" UNIQUE("live_scope_id"),
	CONSTRAINT "sandboxes_forward" CHECK (clock_offset_ms >= 0)
);
--> statement-breakpoint
ALTER TABLE "sandboxes" ADD CONSTRAINT "sandboxes_scope_id_workspaces_id_fk" FOREIGN KEY ("scope_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- The time of the scope, if it is a test scope; else the given time.
CREATE FUNCTION clock_of(scope uuid, real_time timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT coalesce(s.frozen_at, real_time + s.clock_offset_ms * interval '1 millisecond')
    FROM sandboxes s WHERE s.scope_id = scope), real_time)
$$;
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
    UPDATE event_counters c SET last = c.last + n.count, last_at = greatest(c.last_at, date_trunc('milliseconds', clock_of(c.scope_id, clock_timestamp())))
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
CREATE OR REPLACE FUNCTION refresh_post_status(changed uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM posts WHERE id = ANY(changed) ORDER BY id FOR UPDATE;
  UPDATE posts p SET status = post_status_of(p.id), version = version + 1, updated_at = clock_of(p.scope_id, now())
    WHERE p.id = ANY(changed) AND p.status IS DISTINCT FROM post_status_of(p.id);
END
$$;
