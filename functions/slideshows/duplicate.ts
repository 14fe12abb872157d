import { endpoint } from "../../lib/http/endpoint.ts";
import { duplicateSlideshow } from "../../lib/queries/slideshows.ts";
import { Slideshow } from "../../lib/schemas/slideshow.ts";
import { slideshowNotFound } from "../../lib/slideshows/errors.ts";

export default endpoint("slideshows.duplicate", {
  route: "POST /slideshows/{slideshowId}/duplicate",
  permission: "content:write",
  summary: "Copy a slideshow into a draft without rendered images",
  params: { slideshowId: "slideshow" },
  reply: Slideshow,
  status: 201,
  message: "Slideshow duplicated.",
  errors: ["not_found"],
  internalError: "slideshow_duplicate_failed",

  async handle({ db, key, params, ids, now }) {
    const copy = await duplicateSlideshow(db, key.scope, params.slideshowId, { id: ids(), now });
    if (!copy) throw slideshowNotFound();
    return copy;
  },
});
