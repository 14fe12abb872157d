import { endpoint } from "../../lib/endpoint.ts";
import * as revisions from "../../lib/queries/slideshow-revisions.ts";
import * as slideshows from "../../lib/queries/slideshows.ts";
import { SlideshowPatch, SlideshowPatched } from "../../lib/schemas/slideshow.ts";
import { findProduct, requireProduct } from "../../lib/slideshows/product.ts";
import { noSlideshow } from "../../lib/slideshows/refusals.ts";
import { bareSlides } from "../../lib/slideshows/slides.ts";

export default endpoint("slideshows.update", {
  route: "PATCH /slideshows/{slideshowId}",
  summary: "Change a slideshow",
  description:
    "`slides` replaces every slide; `settings` is merged with what is stored, `advanced_settings` field by field. Slides, and another `aspect_ratio` or `advanced_settings`, make pictures stale: they are cleared, and a rendered slideshow is a draft again even when `status` is sent beside them. `status` alone sets the status and touches no picture.",
  params: { slideshowId: "slideshow" },
  body: SlideshowPatch,
  reply: SlideshowPatched,
  message: "Slideshow updated.",
  refuses: ["not_found", "product_not_found", "forbidden_product_access"],
  failure: "update_failed",

  async load({ db, key, params, body }) {
    if (!body.product_id) return { there: true, product: { id: null, product: null } };
    const [there, product] = await Promise.all([
      slideshows.exists(db, key.scope, params.slideshowId),
      findProduct({ db }, body.product_id),
    ]);
    return { there, product };
  },

  async handle({ db, key, params, body, now }, { there, product }) {
    if (!there) throw noSlideshow();
    requireProduct(product, key);
    const patch = { ...body, slides: body.slides && bareSlides(body.slides) };
    const updated = await revisions.update(db, key.scope, params.slideshowId, patch, now);
    if (!updated) throw noSlideshow();
    return updated;
  },
});
