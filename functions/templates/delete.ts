import { endpoint } from "../../lib/http/endpoint.ts";
import { deleteTemplate, findTemplate } from "../../lib/queries/templates.ts";
import { TemplateDeleted } from "../../lib/schemas/template.ts";
import { requireOwnTemplate, templateNotFound } from "../../lib/templates/access.ts";

export default endpoint("templates.delete", {
  route: "DELETE /templates/{templateId}",
  permission: "content:write",
  summary: "Delete a template that the caller owns",
  params: { templateId: "template" },
  reply: TemplateDeleted,
  message: "Template deleted.",
  errors: ["not_found", "forbidden_template"],
  internalError: "template_delete_failed",

  load: ({ db, key, params }) => findTemplate(db, key.scope, params.templateId),

  async handle({ db, key, params }, found) {
    requireOwnTemplate(found);
    if (!(await deleteTemplate(db, key.scope, params.templateId))) throw templateNotFound();
    return { id: params.templateId, deleted: true as const };
  },
});
