import { endpoint } from "../../lib/http/endpoint.ts";
import { listRequests } from "../../lib/http/request-list.ts";
import { RequestList, RequestQuery } from "../../lib/schemas/request.ts";

export default endpoint("requests.list", {
  route: "GET /requests",
  permission: "workspace:read",
  summary: "List the last requests of this key, newest first",
  query: RequestQuery,
  reply: RequestList,
  message: "Requests of this key.",
  internalError: "requests_list_failed",

  async handle({ redis, key, query, now }) {
    const { limit, offset } = query;
    const { requests, nextCursor } = await listRequests(redis, key.id, { ...query, now });
    return { requests, limit, offset, next_cursor: nextCursor, has_more: nextCursor !== null };
  },
});
