import { endpoint } from "../../lib/http/endpoint.ts";
import { findTemplateSource, insertTemplate } from "../../lib/queries/templates.ts";
import { Template, TemplateFromSlideshow } from "../../lib/schemas/template.ts";
import { apiError } from "../../lib/shared/errors.ts";
import { requireWorkspaceKey, templateNameConflict } from "../../lib/templates/access.ts";
import { buildTemplate } from "../../lib/templates/from-slideshow.ts";
import { toTemplateResponse } from "../../lib/templates/to-response.ts";

export default endpoint("templates.from-slideshow", {
  route: "POST /templates/from-slideshow/{slideshowId}",
  permission: "content:write",
  summary: "Create a template from a slideshow",
  params: { slideshowId: "slideshow" },
  body: TemplateFromSlideshow,
  reply: Template,
  status: 201,
  message: "Template created.",
  errors: ["not_found", "no_slides", "forbidden_template", "template_name_conflict"],
  internalError: "template_from_slideshow_failed",

  load: ({ db, key, params }) => findTemplateSource(db, key.scope, params.slideshowId),

  async handle(context, source) {
    const { db, key, body } = context;
    if (!source) throw apiError("not_found", "No slideshow with this id is visible to the key.");
    requireWorkspaceKey(body.visibility, key.scope);
    if (source.slides.length === 0) {
      throw apiError("no_slides", "The slideshow has no slides to create a template from. Add slides with PATCH.");
    }
    const newTemplate = buildTemplate(source, body, context);
    const template = await insertTemplate(db, key.scope, newTemplate);
    if (!template) throw templateNameConflict(newTemplate.name);
    return toTemplateResponse(template);
  },
});
