import { endpoint } from "../../lib/http/endpoint.ts";
import { deleteSlideshow } from "../../lib/queries/slideshows.ts";
import { SlideshowDeleted } from "../../lib/schemas/slideshow.ts";
import { slideshowNotFound } from "../../lib/slideshows/errors.ts";

export default endpoint("slideshows.delete", {
  route: "DELETE /slideshows/{slideshowId}",
  permission: "content:write",
  summary: "Delete a slideshow permanently",
  params: { slideshowId: "slideshow" },
  reply: SlideshowDeleted,
  message: "Slideshow deleted.",
  errors: ["not_found"],
  internalError: "delete_failed",

  async handle({ db, key, params }) {
    const deleted = await deleteSlideshow(db, key.scope, params.slideshowId);
    if (!deleted) throw slideshowNotFound();
    return { id: params.slideshowId, deleted: true as const };
  },
});
