import { webRoute } from "../../lib/http/web-route.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { MCP_PATH } from "../../lib/shared/paths.ts";

/** The tools of functions/mcp, a Worker of its own behind the same host, which verifies the key. */
export default webRoute("meta.mcp", {
  auth: "public",
  methods: ["GET", "POST", "DELETE"],
  paths: [MCP_PATH],
  handle(request, { MCP }) {
    if (!MCP) throw apiError("provider_unavailable", "The tools for agents are not deployed with this service.");
    return MCP.fetch(request);
  },
});
