import { endpoint } from "../../lib/endpoint.ts";
import * as slideshows from "../../lib/queries/slideshows.ts";
import { Slideshow, SlideshowGenerate } from "../../lib/schemas/slideshow.ts";
import { generate, loadIngredients } from "../../lib/slideshows/generate.ts";

export default endpoint("slideshows.generate", {
  route: "POST /slideshows/generate",
  summary: "Create a draft whose texts a language model writes and whose backgrounds come from packs",
  description:
    "`prompt` is needed unless `skip_ai` or `product_id` is sent. `slide_config` says what the first and the last slide are for, pins pictures to slides and assigns packs to them. The same request gets the same pictures; its words differ from time to time. Takes up to two minutes: send an Idempotency-Key.",
  body: SlideshowGenerate,
  reply: Slideshow,
  status: 201,
  message: "Slideshow generated.",
  refuses: [
    "product_not_found",
    "forbidden_product_access",
    "pack_not_found",
    "generation_failed",
    "provider_unavailable",
  ],
  failure: "slideshow_generate_failed",
  limits: ["generations"],
  renewsClaim: true,

  load: (call) => loadIngredients(call, call.body),

  async handle(call, ingredients) {
    const draft = await generate(call, ingredients);
    return slideshows.insert(call.db, call.key.scope, draft, null);
  },
});
