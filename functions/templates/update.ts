import { endpoint } from "../../lib/http/endpoint.ts";
import { findTemplate, updateTemplate } from "../../lib/queries/templates.ts";
import { Template, TemplatePatch } from "../../lib/schemas/template.ts";
import {
  requireOwnTemplate,
  requireWorkspaceKey,
  templateNameConflict,
  templateNotFound,
} from "../../lib/templates/access.ts";
import { toTemplateResponse } from "../../lib/templates/to-response.ts";

export default endpoint("templates.update", {
  route: "PATCH /templates/{templateId}",
  permission: "content:write",
  summary: "Change a template that the caller owns",
  params: { templateId: "template" },
  body: TemplatePatch,
  bodyErrors: { config: "invalid_template_config" },
  reply: Template,
  message: "Template updated.",
  errors: ["not_found", "forbidden_template", "template_name_conflict"],
  internalError: "template_update_failed",

  load: ({ db, key, params }) => findTemplate(db, key.scope, params.templateId),

  async handle({ db, key, params, now, body }, found) {
    requireOwnTemplate(found);
    requireWorkspaceKey(body.visibility, key.scope);
    const template = await updateTemplate(db, key.scope, params.templateId, body, now);
    if (template === "name_taken") throw templateNameConflict(body.name ?? "");
    if (!template) throw templateNotFound();
    return toTemplateResponse(template);
  },
});
