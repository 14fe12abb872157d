import { forwardToWorkspace, webRoute } from "../../lib/http/web-route.ts";
import { EDITOR_PATH } from "../../lib/shared/paths.ts";

/** The pages of functions/workspace, a Worker of its own behind the same host. */
export default webRoute("meta.dashboard", {
  auth: "session",
  methods: ["GET", "POST", "PATCH", "DELETE"],
  paths: ["/dashboard", "/dashboard/*", "/auth/*", `${EDITOR_PATH}/*`],
  handle: forwardToWorkspace,
});
