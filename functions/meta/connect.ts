import { forwardToWorkspace, webRoute } from "../../lib/http/web-route.ts";
import { CONNECT_PATH } from "../../lib/shared/paths.ts";

/** The pages of a connect link: anyone who has its token may connect accounts. */
export default webRoute("meta.connect", {
  auth: "link",
  methods: ["GET", "POST"],
  paths: [`${CONNECT_PATH}/:token`, `${CONNECT_PATH}/:token/:step`],
  handle: forwardToWorkspace,
});
