import { RENDER_REFUSALS } from "../../lib/drawing/render.ts";
import { endpoint } from "../../lib/endpoint.ts";
import * as slideshows from "../../lib/queries/slideshows.ts";
import { Slideshow } from "../../lib/schemas/slideshow.ts";
import { noSlideshow } from "../../lib/slideshows/refusals.ts";
import { render } from "../../lib/slideshows/render.ts";

export default endpoint("slideshows.render", {
  route: "POST /slideshows/{slideshowId}/render",
  summary: "Draw every slide and give it the URL of its picture",
  description:
    "All slides are drawn or none. The pictures are files of the scope: POST /posts takes their URLs as a slideshow's. A slide that did not change keeps its picture. Refused with `slideshow_changed` when slides or their look change while it runs.",
  params: { slideshowId: "slideshow" },
  reply: Slideshow,
  message: "Slideshow rendered.",
  refuses: ["not_found", "no_slides", "slideshow_changed", ...RENDER_REFUSALS],
  statuses: { image_unreachable: 502 },
  failure: "slideshow_render_failed",
  renewsClaim: true,

  load: ({ db, key, params }) => slideshows.findDrawable(db, key.scope, params.slideshowId),

  async handle(call, stored) {
    if (!stored) throw noSlideshow();
    return render(call, stored);
  },
});
