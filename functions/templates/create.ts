import { endpoint } from "../../lib/http/endpoint.ts";
import { insertTemplate } from "../../lib/queries/templates.ts";
import { Template, TemplateCreate } from "../../lib/schemas/template.ts";
import { requireWorkspaceKey, templateNameConflict } from "../../lib/templates/access.ts";
import { toTemplateResponse } from "../../lib/templates/to-response.ts";

export default endpoint("templates.create", {
  route: "POST /templates",
  permission: "content:write",
  summary: "Create a template",
  body: TemplateCreate,
  bodyErrors: { config: "invalid_template_config" },
  reply: Template,
  status: 201,
  message: "Template created.",
  errors: ["forbidden_template", "template_name_conflict"],
  internalError: "template_create_failed",

  async handle({ db, key, ids, now, body }) {
    const { name, description = null, visibility, config } = body;
    requireWorkspaceKey(visibility, key.scope);
    const template = await insertTemplate(db, key.scope, {
      id: ids(),
      name,
      numberIfTaken: false,
      description,
      visibility,
      previewUrl: null,
      config,
      createdAt: now,
    });
    if (!template) throw templateNameConflict(name);
    return toTemplateResponse(template);
  },
});
