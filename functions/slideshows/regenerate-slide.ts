import { endpoint } from "../../lib/endpoint.ts";
import * as slideshows from "../../lib/queries/slideshows.ts";
import { SlideRewrite } from "../../lib/schemas/slide.ts";
import { Slideshow } from "../../lib/schemas/slideshow.ts";
import { noSlideshow } from "../../lib/slideshows/refusals.ts";
import { regenerate } from "../../lib/slideshows/regenerate.ts";

export default endpoint("slideshows.regenerate-slide", {
  route: "POST /slideshows/{slideshowId}/slides/{index}/regenerate",
  summary: "Have the language model write one slide of a draft anew",
  description:
    "`index` counts from 0. The slide keeps its picture, and its texts their places and looks. Only drafts that were made from a prompt: others answer `slideshow_not_draft`.",
  params: { slideshowId: "slideshow", index: "slide" },
  opaque: ["index"],
  body: SlideRewrite,
  reply: Slideshow,
  message: "Slide written anew.",
  refuses: ["not_found", "slideshow_not_draft", "slideshow_changed", "generation_failed", "provider_unavailable"],
  failure: "slide_regenerate_failed",
  limits: ["generations"],
  renewsClaim: true,

  load: ({ db, key, params }) => slideshows.findDrawable(db, key.scope, params.slideshowId),

  async handle(call, stored) {
    if (!stored) throw noSlideshow();
    const { params, body } = call;
    return regenerate(call, stored, { index: params.index, instruction: body.instruction ?? null });
  },
});
