import { endpoint } from "../../lib/http/endpoint.ts";
import { findSlideshowWithRenderHash } from "../../lib/queries/slideshows.ts";
import { SlideRewrite } from "../../lib/schemas/slide.ts";
import { Slideshow } from "../../lib/schemas/slideshow.ts";
import { slideshowNotFound } from "../../lib/slideshows/errors.ts";
import { regenerateSlide } from "../../lib/slideshows/regenerate.ts";

export default endpoint("slideshows.regenerate-slide", {
  route: "POST /slideshows/{slideshowId}/slides/{index}/regenerate",
  permission: "content:write",
  summary: "Regenerate one slide of a draft with the language model",
  params: { slideshowId: "slideshow", index: "slide" },
  nonUuidParams: ["index"],
  body: SlideRewrite,
  reply: Slideshow,
  message: "Slide regenerated.",
  errors: [
    "not_found",
    "slideshow_not_draft",
    "slideshow_changed",
    "slide_undrawable",
    "generation_failed",
    "provider_unavailable",
  ],
  internalError: "slide_regenerate_failed",
  limits: ["generations"],
  heartbeat: true,

  load: ({ db, key, params }) => findSlideshowWithRenderHash(db, key.scope, params.slideshowId),

  async handle(context, stored) {
    if (!stored) throw slideshowNotFound();
    const { params, body } = context;
    return regenerateSlide(context, stored, { index: params.index, instruction: body.instruction ?? null });
  },
});
