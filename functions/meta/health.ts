import { publicEndpoint } from "../../lib/http/public-endpoint.ts";
import { getServiceHealth } from "../../lib/publishing/service-status.ts";
import { ServiceHealth } from "../../lib/schemas/service-status.ts";

export default publicEndpoint("meta.health", {
  route: "GET /health",
  summary: "Whether the service can reach its database and its rate limiter",
  reply: ServiceHealth,
  message: "The service is healthy.",
  internalError: "internal_error",
  cacheControl: "no-store",
  handle: getServiceHealth,
});
