import { forwardToWorkspace, webRoute } from "../../lib/http/web-route.ts";
import { RESOURCE_METADATA_PATH, SERVER_METADATA_PATH } from "../../lib/shared/paths.ts";

/** The documents that clients read before they ask for a consent; the path of a resource may follow the second. */
export default webRoute("meta.oauth-metadata", {
  auth: "public",
  methods: ["GET"],
  paths: [SERVER_METADATA_PATH, RESOURCE_METADATA_PATH, `${RESOURCE_METADATA_PATH}/*`],
  handle: forwardToWorkspace,
});
