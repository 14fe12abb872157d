import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import { findTemplate } from "../../lib/queries/slideshow-sources.ts";
import * as slideshows from "../../lib/queries/slideshows.ts";
import { Slideshow, SlideshowCreate } from "../../lib/schemas/slideshow.ts";
import { draftFromSlides, draftFromTemplate } from "../../lib/slideshows/draft.ts";
import { findProduct, requireProduct } from "../../lib/slideshows/product.ts";

export default endpoint("slideshows.create", {
  route: "POST /slideshows",
  summary: "Create a draft from slides or from a template",
  description:
    "What is sent beside `template_id` goes before what the template says: `settings` are merged over its own. A template's slide without a picture of its own takes the next one of its pack. The template's product is taken over where it belongs to the key's scope.",
  body: SlideshowCreate,
  reply: Slideshow,
  status: 201,
  message: "Slideshow created.",
  refuses: ["template_not_found", "product_not_found", "forbidden_product_access"],
  failure: "slideshow_create_failed",

  async load({ db, key, body }) {
    const [template, product] = await Promise.all([
      body.template_id ? findTemplate(db, key.scope, body.template_id) : null,
      findProduct({ db }, body.product_id),
    ]);
    return { template, product };
  },

  async handle(call, { template, product }) {
    const { db, key, body } = call;
    requireProduct(product, key);
    if (body.template_id && !template) {
      throw refuse("template_not_found", "template_id: no template with this id is visible to the key.");
    }
    const draft = template ? draftFromTemplate(body, template, call) : draftFromSlides(body, call);
    return slideshows.insert(db, key.scope, draft, body.template_id ?? null);
  },
});
