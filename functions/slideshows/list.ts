import { endpoint } from "../../lib/http/endpoint.ts";
import { listSlideshows } from "../../lib/queries/slideshows.ts";
import { SlideshowList, SlideshowQuery } from "../../lib/schemas/slideshow.ts";

export default endpoint("slideshows.list", {
  route: "GET /slideshows",
  permission: "content:read",
  summary: "List the slideshows of the scope, newest created first",
  query: SlideshowQuery,
  reply: SlideshowList,
  message: "Slideshows in scope.",
  internalError: "slideshows_list_failed",

  load: ({ db, key, query }) => listSlideshows(db, key.scope, query),

  async handle({ query }, page) {
    return { ...page, limit: query.limit, offset: query.offset };
  },
});
