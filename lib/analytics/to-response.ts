// Stored targets and refreshes in their public shape.
import type { StoredRefresh } from "../queries/analytics-refresh-requests.ts";
import type { StoredTarget } from "../queries/analytics-targets.ts";
import type { Refresh, Target } from "../schemas/analytics.ts";
import type { Scope } from "../shared/scope.ts";
import { describeNumbers } from "./describe-numbers.ts";

export function toTargetResponse(target: StoredTarget): Target {
  const { id, platform, identifier, favorite, freeDailyRefresh, maxPosts } = target;
  return {
    id,
    user_id: target.ownerId,
    workspace_id: target.workspaceId,
    platform,
    identifier,
    normalized_identifier: target.normalizedIdentifier,
    display_name: target.displayName,
    metadata: { favorite, refreshPolicy: { freeDailyRefresh, maxPosts } },
    last_refreshed_at: target.lastRefreshedAt,
    free_refresh_available: target.freeRefreshAvailable,
    numbers: describeNumbers(target),
    created_at: target.createdAt,
  };
}

export function toRefreshResponse(
  { id, targetId, status, startedAt, completedAt, error, wasFree }: StoredRefresh,
  { workspaceId }: Pick<Scope, "workspaceId">,
): Refresh & { refresh: Refresh; wasFree: boolean } {
  const refresh = {
    ...{ id, target_id: targetId, workspace_id: workspaceId, status },
    ...{ started_at: startedAt, completed_at: completedAt, error },
    free_refresh_used: wasFree,
    // Refreshes are not billed.
    credits_used: null,
  };
  return { ...refresh, refresh, wasFree };
}
