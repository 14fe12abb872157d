import { webRoute } from "../../lib/http/web-route.ts";
import { apiError } from "../../lib/shared/errors.ts";

/** The pages of functions/workspace, a Worker of its own behind the same host. */
export default webRoute("meta.dashboard", {
  auth: "session",
  methods: ["GET", "POST", "PATCH", "DELETE"],
  paths: ["/dashboard", "/dashboard/*", "/auth/*"],

  handle(request, { WORKSPACE }) {
    if (!WORKSPACE) throw apiError("provider_unavailable", "The dashboard is not deployed with this service.");
    return WORKSPACE.fetch(request);
  },
});
