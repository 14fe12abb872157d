import { forwardToWorkspace, webRoute } from "../../lib/http/web-route.ts";
import { CONNECT_CALLBACK_PATH } from "../../lib/shared/paths.ts";

/** Networks send the browser back to this page, with a state that was given to it. */
export default webRoute("meta.connect-callback", {
  auth: "link",
  methods: ["GET"],
  paths: [`${CONNECT_CALLBACK_PATH}/:platform`],
  handle: forwardToWorkspace,
});
