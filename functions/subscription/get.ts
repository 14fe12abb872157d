import { endpoint } from "../../lib/http/endpoint.ts";
import { findSubscription } from "../../lib/queries/subscriptions.ts";
import { SubscriptionDetails } from "../../lib/schemas/subscription.ts";
import { apiError } from "../../lib/shared/errors.ts";

/** This service has plans without an interval or credits. */
const NOT_BILLED = { limit: null, used_this_period: null, remaining: null, reset_at: null };

export default endpoint("subscription.get", {
  route: "GET /subscription",
  permission: "workspace:read",
  summary: "Get the plan of the key's scope",
  reply: SubscriptionDetails,
  message: "Subscription.",
  internalError: "subscription_lookup_failed",

  load: ({ db, key: { scope } }) => findSubscription(db, scope),

  async handle({ key: { scope } }, plan) {
    if (!plan) throw apiError("subscription_required", "An active Creator, Professional or Business plan is required.");
    const { status, tier, paidUntil } = plan;
    return {
      scope: scope.workspaceId ? ("workspace" as const) : ("personal" as const),
      workspace_id: scope.workspaceId,
      subscription: { status, tier, billing_interval: null, renews_at: paidUntil, credits: NOT_BILLED },
    };
  },
});
