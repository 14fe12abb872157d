import { forwardToWorkspace, webRoute } from "../../lib/http/web-route.ts";

/** The pages of functions/workspace, a Worker of its own behind the same host. */
export default webRoute("meta.dashboard", {
  auth: "session",
  methods: ["GET", "POST", "PATCH", "DELETE"],
  paths: ["/dashboard", "/dashboard/*", "/auth/*"],
  handle: forwardToWorkspace,
});
