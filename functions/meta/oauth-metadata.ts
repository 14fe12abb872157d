import { forwardToWorkspace, webRoute } from "../../lib/http/web-route.ts";
import { RESOURCE_METADATA_PATH, SERVER_METADATA_PATH } from "../../lib/shared/paths.ts";

/** What clients read before they ask for a consent; the path of a resource may stand behind the second. */
export default webRoute("meta.oauth-metadata", {
  auth: "public",
  methods: ["GET"],
  paths: [SERVER_METADATA_PATH, RESOURCE_METADATA_PATH, `${RESOURCE_METADATA_PATH}/*`],
  handle: forwardToWorkspace,
});
