import { endpoint } from "../../lib/http/endpoint.ts";
import { findRequest } from "../../lib/http/request-list.ts";
import { LoggedRequest } from "../../lib/schemas/request.ts";
import { apiError } from "../../lib/shared/errors.ts";

export default endpoint("requests.get", {
  route: "GET /requests/{requestId}",
  permission: "workspace:read",
  summary: "Get one of the last requests of this key",
  params: { requestId: "request" },
  nonUuidParams: ["requestId"],
  reply: LoggedRequest,
  message: "Request.",
  errors: ["not_found"],
  internalError: "request_get_failed",

  async handle({ redis, key, params, now }) {
    const found = await findRequest(redis, key.id, params.requestId, now);
    if (!found) throw apiError("not_found", "This key sent no request with this id in the last seven days.");
    return found;
  },
});
