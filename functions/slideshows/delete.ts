import { endpoint } from "../../lib/endpoint.ts";
import * as slideshows from "../../lib/queries/slideshows.ts";
import { SlideshowDeleted } from "../../lib/schemas/slideshow.ts";
import { noSlideshow } from "../../lib/slideshows/refusals.ts";

export default endpoint("slideshows.delete", {
  route: "DELETE /slideshows/{slideshowId}",
  summary: "Delete a slideshow for good",
  description: "Pictures that were rendered of it stay files of the scope, so that posts which show them go on.",
  params: { slideshowId: "slideshow" },
  reply: SlideshowDeleted,
  message: "Slideshow deleted.",
  refuses: ["not_found"],
  failure: "delete_failed",

  async handle({ db, key, params }) {
    const deleted = await slideshows.remove(db, key.scope, params.slideshowId);
    if (!deleted) throw noSlideshow();
    return { id: params.slideshowId, deleted: true as const };
  },
});
