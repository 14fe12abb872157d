import { endpoint } from "../../lib/http/endpoint.ts";
import { findSlideshowWithRenderHash } from "../../lib/queries/slideshows.ts";
import { RENDER_ERRORS } from "../../lib/rendering/render-slides.ts";
import { Slideshow } from "../../lib/schemas/slideshow.ts";
import { slideshowNotFound } from "../../lib/slideshows/errors.ts";
import { renderSlideshow } from "../../lib/slideshows/render.ts";

export default endpoint("slideshows.render", {
  route: "POST /slideshows/{slideshowId}/render",
  permission: "content:write",
  summary: "Render every slide to an image",
  params: { slideshowId: "slideshow" },
  reply: Slideshow,
  message: "Slideshow rendered.",
  errors: ["not_found", "no_slides", "slideshow_changed", ...RENDER_ERRORS],
  statuses: { image_unreachable: 502 },
  internalError: "slideshow_render_failed",
  limits: ["renders", "outside_urls"],
  // Counted from the stored slides, before their images are fetched.
  costs: () => ({ outside_urls: 0 }),
  heartbeat: true,

  load: ({ db, key, params }) => findSlideshowWithRenderHash(db, key.scope, params.slideshowId),

  async handle(context, stored) {
    if (!stored) throw slideshowNotFound();
    return renderSlideshow(context, stored);
  },
});
