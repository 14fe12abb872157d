import { publicEndpoint } from "../../lib/http/public-endpoint.ts";
import { getServiceStatus, STATUS_CACHE_SECONDS } from "../../lib/publishing/service-status.ts";
import { ServiceStatus } from "../../lib/schemas/service-status.ts";

export default publicEndpoint("meta.status", {
  route: "GET /status",
  summary: "How well the service published to each network in the last hour",
  reply: ServiceStatus,
  message: "Status of the service.",
  internalError: "internal_error",
  cacheControl: `public, max-age=${STATUS_CACHE_SECONDS}`,
  handle: getServiceStatus,
});
