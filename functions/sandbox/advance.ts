import { endpoint } from "../../lib/http/endpoint.ts";
import { advanceSandbox } from "../../lib/sandbox/requests.ts";
import { SandboxAdvance, SandboxAdvanced } from "../../lib/schemas/sandbox.ts";

export default endpoint("sandbox.advance", {
  route: "POST /sandbox/advance",
  permission: "workspace:write",
  summary: "Move the clock of test mode, and run what falls due on the way",
  body: SandboxAdvance,
  reply: SandboxAdvanced,
  message: "The clock was moved.",
  limits: ["sandbox_changes"],
  errors: ["advance_in_progress"],
  internalError: "sandbox_advance_failed",
  heartbeat: true,

  handle: (context) => advanceSandbox(context, context.body),
});
