import { endpoint } from "../../lib/http/endpoint.ts";
import { findSlideshow } from "../../lib/queries/slideshows.ts";
import { Slideshow } from "../../lib/schemas/slideshow.ts";
import { slideshowNotFound } from "../../lib/slideshows/errors.ts";

export default endpoint("slideshows.get", {
  route: "GET /slideshows/{slideshowId}",
  permission: "content:read",
  summary: "Get one slideshow with its slides",
  params: { slideshowId: "slideshow" },
  reply: Slideshow,
  message: "Slideshow.",
  errors: ["not_found"],
  internalError: "slideshow_get_failed",

  load: ({ db, key, params }) => findSlideshow(db, key.scope, params.slideshowId),

  async handle(_context, slideshow) {
    if (!slideshow) throw slideshowNotFound();
    return slideshow;
  },
});
