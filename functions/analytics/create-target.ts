import { createTarget, loadMayTrack } from "../../lib/analytics/create-target.ts";
import { toTargetResponse } from "../../lib/analytics/to-response.ts";
import { respond } from "../../lib/http/endpoint-spec.ts";
import { analyticsEndpoint } from "../../lib/http/families.ts";
import { TargetCreate, TargetCreated } from "../../lib/schemas/analytics.ts";

export default analyticsEndpoint("analytics.create-target", {
  route: "POST /analytics/targets",
  permission: "analytics:write",
  summary: "Track an account of TikTok, Instagram or YouTube",
  body: TargetCreate,
  reply: TargetCreated,
  status: 201,
  message: "Target created.",
  alternateResponse: { status: 200, message: "This account is already tracked." },
  errors: ["unknown_accounts"],

  load: (context) => loadMayTrack(context, context.body),

  async handle(context, isAllowed) {
    const { target, created } = await createTarget(context, context.body, isAllowed);
    const tracked = { target: toTargetResponse(target), created };
    return created ? tracked : respond(200, "This account is already tracked.", tracked);
  },
});
