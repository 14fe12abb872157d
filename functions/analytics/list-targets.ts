import { toTargetResponse } from "../../lib/analytics/to-response.ts";
import { analyticsEndpoint } from "../../lib/http/families.ts";
import { listTargets } from "../../lib/queries/analytics-targets.ts";
import { TargetList, TargetQuery } from "../../lib/schemas/analytics.ts";
import { toUtcDay } from "../../lib/schemas/analytics-period.ts";

export default analyticsEndpoint("analytics.list-targets", {
  route: "GET /analytics/targets",
  permission: "analytics:read",
  summary: "List the tracked accounts, newest first",
  query: TargetQuery,
  reply: TargetList,
  message: "Targets in scope.",

  load: ({ db, key, query, now }) => listTargets(db, key.scope, query, toUtcDay(now)),

  async handle({ key, query }, { rows, total, nextCursor }) {
    const { limit, offset } = query;
    const listed = rows.map((target) => ({ ...toTargetResponse(target), target_id: target.id }));
    return { workspace_id: key.scope.workspaceId, targets: listed, total, limit, offset, next_cursor: nextCursor };
  },
});
