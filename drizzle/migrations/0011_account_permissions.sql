-- The permissions that an account was granted, which decide whether it has first comments; null for those connected before.
ALTER TABLE "accounts" ADD COLUMN "granted_scopes" text[];
--> statement-breakpoint
CREATE OR REPLACE FUNCTION account_snapshot(a accounts) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', a.id, 'platform', a.platform, 'type', a.type, 'username', a.username, 'display_name', a.display_name,
    'status', a.status, 'status_reason', a.status_reason, 'workspace_id', a.workspace_id, 'token_version', a.token_version,
    'token_expires_at', a.token_expires_at, 'refresh_token_expires_at', a.refresh_token_expires_at,
    'has_refresh_token', a.refresh_token IS NOT NULL, 'granted_scopes', a.granted_scopes)
$$;
