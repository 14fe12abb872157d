import { endpoint } from "../../lib/endpoint.ts";
import { refuse } from "../../lib/errors.ts";
import * as templates from "../../lib/queries/templates.ts";
import { Template, TemplateFromSlideshow } from "../../lib/schemas/template.ts";
import { templateFrom } from "../../lib/templates/copy.ts";
import { nameTaken, requireWorkspace } from "../../lib/templates/ownership.ts";

export default endpoint("templates.from-slideshow", {
  route: "POST /templates/from-slideshow/{slideshowId}",
  summary: "Create a template from a slideshow",
  description:
    "Takes over layout, pictures, packs and settings. A collage keeps its first picture; filters, overlays and the looks of single texts have no place in a template, nor have more than 10 texts a slide. Pictures of a slide that has a pack become pinned ones.",
  params: { slideshowId: "slideshow" },
  body: TemplateFromSlideshow,
  reply: Template,
  status: 201,
  message: "Template created.",
  refuses: ["not_found", "no_slides", "forbidden_template", "template_name_conflict"],
  failure: "template_from_slideshow_failed",

  load: ({ db, key, params }) => templates.findSource(db, key.scope, params.slideshowId),

  async handle(call, source) {
    const { db, key, body } = call;
    if (!source) throw refuse("not_found", "No slideshow with this id is visible to the key.");
    requireWorkspace(body.visibility, key.scope);
    if (source.slides.length === 0) {
      throw refuse("no_slides", "The slideshow has no slides to make a template from. Add some with PATCH.");
    }
    const wanted = templateFrom(source, body, call);
    const template = await templates.insert(db, key.scope, wanted);
    if (!template) throw nameTaken(wanted.name);
    return template;
  },
});
