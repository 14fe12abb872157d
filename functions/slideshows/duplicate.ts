import { endpoint } from "../../lib/endpoint.ts";
import * as slideshows from "../../lib/queries/slideshows.ts";
import { Slideshow } from "../../lib/schemas/slideshow.ts";
import { noSlideshow } from "../../lib/slideshows/refusals.ts";

export default endpoint("slideshows.duplicate", {
  route: "POST /slideshows/{slideshowId}/duplicate",
  summary: "Copy a slideshow into a draft without pictures",
  params: { slideshowId: "slideshow" },
  reply: Slideshow,
  status: 201,
  message: "Slideshow duplicated.",
  refuses: ["not_found"],
  failure: "slideshow_duplicate_failed",

  async handle({ db, key, params, ids, now }) {
    const copy = await slideshows.duplicate(db, key.scope, params.slideshowId, { id: ids(), now });
    if (!copy) throw noSlideshow();
    return copy;
  },
});
