import { endpoint } from "../../lib/endpoint.ts";
import * as templates from "../../lib/queries/templates.ts";
import { Template, TemplatePatch } from "../../lib/schemas/template.ts";
import { nameTaken, noTemplate, requireOwn, requireWorkspace } from "../../lib/templates/ownership.ts";

export default endpoint("templates.update", {
  route: "PATCH /templates/{templateId}",
  summary: "Change a template that the caller owns",
  description: "Its place in the list stays: that goes by the time of creation.",
  params: { templateId: "template" },
  body: TemplatePatch,
  badBody: { config: "invalid_template_config" },
  reply: Template,
  message: "Template updated.",
  refuses: ["not_found", "forbidden_template", "template_name_conflict"],
  failure: "template_update_failed",

  load: ({ db, key, params }) => templates.find(db, key.scope, params.templateId),

  async handle({ db, key, params, now, body }, found) {
    requireOwn(found);
    requireWorkspace(body.visibility, key.scope);
    const template = await templates.update(db, key.scope, params.templateId, body, now);
    if (template === "name_taken") throw nameTaken(body.name ?? "");
    if (!template) throw noTemplate();
    return template;
  },
});
