import { endpoint } from "../../lib/endpoint.ts";
import * as slideshows from "../../lib/queries/slideshows.ts";
import { Slideshow } from "../../lib/schemas/slideshow.ts";
import { noSlideshow } from "../../lib/slideshows/refusals.ts";

export default endpoint("slideshows.get", {
  route: "GET /slideshows/{slideshowId}",
  summary: "One slideshow with its slides",
  params: { slideshowId: "slideshow" },
  reply: Slideshow,
  message: "Slideshow.",
  refuses: ["not_found"],
  failure: "slideshow_get_failed",

  async handle({ db, key, params }) {
    const slideshow = await slideshows.find(db, key.scope, params.slideshowId);
    if (!slideshow) throw noSlideshow();
    return slideshow;
  },
});
