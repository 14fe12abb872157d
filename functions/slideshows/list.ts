import { endpoint } from "../../lib/endpoint.ts";
import * as slideshows from "../../lib/queries/slideshows.ts";
import { SlideshowList, SlideshowQuery } from "../../lib/schemas/slideshow.ts";

export default endpoint("slideshows.list", {
  route: "GET /slideshows",
  summary: "List the slideshows of the scope, newest created first",
  query: SlideshowQuery,
  badQuery: "invalid_query",
  reply: SlideshowList,
  message: "Slideshows in scope.",
  failure: "slideshows_list_failed",

  async handle({ db, key, query }) {
    const page = await slideshows.list(db, key.scope, query);
    return { ...page, limit: query.limit, offset: query.offset };
  },
});
