import { endpoint } from "../../lib/http/endpoint.ts";
import { findTemplate } from "../../lib/queries/templates.ts";
import { Template } from "../../lib/schemas/template.ts";
import { templateNotFound } from "../../lib/templates/access.ts";
import { toTemplateResponse } from "../../lib/templates/to-response.ts";

export default endpoint("templates.get", {
  route: "GET /templates/{templateId}",
  permission: "content:read",
  summary: "Get one template that the key can see",
  params: { templateId: "template" },
  reply: Template,
  message: "Template.",
  errors: ["not_found"],
  internalError: "template_get_failed",

  load: ({ db, key, params }) => findTemplate(db, key.scope, params.templateId),

  async handle(_context, template) {
    if (!template) throw templateNotFound();
    return toTemplateResponse(template);
  },
});
