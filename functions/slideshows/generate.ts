import { endpoint } from "../../lib/http/endpoint.ts";
import { insertSlideshow } from "../../lib/queries/slideshows.ts";
import { Slideshow, SlideshowGenerate } from "../../lib/schemas/slideshow.ts";
import { generateDraft, loadGenerationSources } from "../../lib/slideshows/generate.ts";

export default endpoint("slideshows.generate", {
  route: "POST /slideshows/generate",
  permission: "content:write",
  summary: "Generate a draft with texts by a language model and backgrounds from packs",
  body: SlideshowGenerate,
  reply: Slideshow,
  status: 201,
  message: "Slideshow generated.",
  errors: [
    "product_not_found",
    "forbidden_product_access",
    "pack_not_found",
    "slide_undrawable",
    "generation_failed",
    "provider_unavailable",
  ],
  internalError: "slideshow_generate_failed",
  limits: ["generations"],
  heartbeat: true,

  load: (context) => loadGenerationSources(context, context.body),

  async handle(context, ingredients) {
    const draft = await generateDraft(context, ingredients);
    return insertSlideshow(context.db, context.key.scope, draft, null);
  },
});
