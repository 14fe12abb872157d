import { endpoint } from "../../lib/http/endpoint.ts";
import { findUsableTemplate } from "../../lib/queries/slideshow-sources.ts";
import { insertSlideshow } from "../../lib/queries/slideshows.ts";
import { Slideshow, SlideshowCreate } from "../../lib/schemas/slideshow.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { createDraftFromSlides, createDraftFromTemplate } from "../../lib/slideshows/draft.ts";
import { findProduct, requireProduct } from "../../lib/slideshows/product.ts";

export default endpoint("slideshows.create", {
  route: "POST /slideshows",
  permission: "content:write",
  summary: "Create a draft from slides or from a template",
  body: SlideshowCreate,
  reply: Slideshow,
  status: 201,
  message: "Slideshow created.",
  errors: ["template_not_found", "product_not_found", "forbidden_product_access"],
  internalError: "slideshow_create_failed",

  async load({ db, key, body }) {
    const [template, product] = await Promise.all([
      body.template_id ? findUsableTemplate(db, key.scope, body.template_id) : null,
      findProduct({ db }, body.product_id),
    ]);
    return { template, product };
  },

  async handle(context, { template, product }) {
    const { db, key, body } = context;
    requireProduct(product, key);
    if (body.template_id && !template) {
      throw apiError("template_not_found", "template_id: no template with this id is visible to the key.");
    }
    const draft = template ? createDraftFromTemplate(body, template, context) : createDraftFromSlides(body, context);
    return insertSlideshow(db, key.scope, draft, body.template_id ?? null);
  },
});
