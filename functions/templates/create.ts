import { endpoint } from "../../lib/endpoint.ts";
import * as templates from "../../lib/queries/templates.ts";
import { Template, TemplateCreate } from "../../lib/schemas/template.ts";
import { nameTaken, requireWorkspace } from "../../lib/templates/ownership.ts";

export default endpoint("templates.create", {
  route: "POST /templates",
  summary: "Create a template",
  body: TemplateCreate,
  badBody: { config: "invalid_template_config" },
  reply: Template,
  status: 201,
  message: "Template created.",
  refuses: ["forbidden_template", "template_name_conflict"],
  failure: "template_create_failed",

  async handle({ db, key, ids, now, body }) {
    const { name, description = null, visibility, config } = body;
    requireWorkspace(visibility, key.scope);
    const template = await templates.insert(db, key.scope, {
      id: ids(),
      name,
      numbered: false,
      description,
      visibility,
      previewUrl: null,
      config,
      createdAt: now,
    });
    if (!template) throw nameTaken(name);
    return template;
  },
});
