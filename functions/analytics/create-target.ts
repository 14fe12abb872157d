import { track } from "../../lib/analytics/track.ts";
import { endpoint, tell } from "../../lib/endpoint.ts";
import { TargetCreate, TargetCreated } from "../../lib/schemas/analytics.ts";

export default endpoint("analytics.create-target", {
  route: "POST /analytics/targets",
  summary: "Track an account of TikTok, Instagram or YouTube",
  description: "An account that is tracked already answers 200 with its target, unchanged.",
  body: TargetCreate,
  reply: TargetCreated,
  status: 201,
  message: "Target created.",
  also: { status: 200, message: "This account is tracked already." },
  failure: "analytics_failed",
  absentPlan: 403,
  badQuery: { code: "invalid_query", status: 400 },

  async handle(call) {
    const tracked = await track(call, call.body);
    return tracked.created ? tracked : tell(200, "This account is tracked already.", tracked);
  },
});
