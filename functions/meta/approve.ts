import { forwardToWorkspace, webRoute } from "../../lib/http/web-route.ts";
import { APPROVAL_PATH } from "../../lib/shared/paths.ts";

/** The page of an approval link: anyone who has its token may approve the draft. */
export default webRoute("meta.approve", {
  auth: "link",
  methods: ["GET", "POST"],
  paths: [`${APPROVAL_PATH}/:token`],
  handle: forwardToWorkspace,
});
