import { endpoint } from "../../lib/http/endpoint.ts";
import { updateSlideshow } from "../../lib/queries/slideshow-updates.ts";
import { hasSlideshow } from "../../lib/queries/slideshows.ts";
import { SlideshowPatch, SlideshowPatched } from "../../lib/schemas/slideshow.ts";
import { slideshowConflict, slideshowNotFound } from "../../lib/slideshows/errors.ts";
import { findProduct, requireProduct } from "../../lib/slideshows/product.ts";
import { toBareSlides } from "../../lib/slideshows/slides.ts";

export default endpoint("slideshows.update", {
  route: "PATCH /slideshows/{slideshowId}",
  permission: "content:write",
  summary: "Change a slideshow",
  params: { slideshowId: "slideshow" },
  body: SlideshowPatch,
  reply: SlideshowPatched,
  message: "Slideshow updated.",
  errors: ["not_found", "product_not_found", "forbidden_product_access", "slideshow_conflict"],
  internalError: "update_failed",

  async load({ db, key, params, body }) {
    if (!body.product_id) return { exists: true, product: { id: null, product: null } };
    const [exists, product] = await Promise.all([
      hasSlideshow(db, key.scope, params.slideshowId),
      findProduct({ db }, body.product_id),
    ]);
    return { exists, product };
  },

  async handle({ db, key, params, body, now }, { exists, product }) {
    if (!exists) throw slideshowNotFound();
    requireProduct(product, key);
    const patch = { ...body, slides: body.slides && toBareSlides(body.slides) };
    const updated = await updateSlideshow(db, key.scope, params.slideshowId, patch, now);
    if (!updated) throw slideshowNotFound();
    if (updated === "conflict") throw slideshowConflict();
    return updated;
  },
});
