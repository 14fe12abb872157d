import { forwardToWorkspace, webRoute } from "../../lib/http/web-route.ts";
import { OAUTH_PATH } from "../../lib/shared/paths.ts";

/** The authorization server, in the Worker of the pages for people: consents need their session. */
export default webRoute("meta.oauth", {
  auth: "session",
  methods: ["GET", "POST"],
  paths: [`${OAUTH_PATH}/*`],
  handle: forwardToWorkspace,
});
