import { endpoint } from "../../lib/http/endpoint.ts";
import { resetSandbox } from "../../lib/sandbox/requests.ts";
import { SandboxReset } from "../../lib/schemas/sandbox.ts";

export default endpoint("sandbox.reset", {
  route: "POST /sandbox/reset",
  permission: "workspace:write",
  summary: "Empty test mode and set its clock back",
  reply: SandboxReset,
  message: "Test mode is empty.",
  limits: ["sandbox_changes"],
  errors: ["advance_in_progress"],
  internalError: "sandbox_reset_failed",

  handle: (context) => resetSandbox(context),
});
