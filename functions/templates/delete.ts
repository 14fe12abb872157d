import { endpoint } from "../../lib/endpoint.ts";
import * as templates from "../../lib/queries/templates.ts";
import { TemplateDeleted } from "../../lib/schemas/template.ts";
import { noTemplate, requireOwn } from "../../lib/templates/ownership.ts";

export default endpoint("templates.delete", {
  route: "DELETE /templates/{templateId}",
  summary: "Delete a template that the caller owns",
  description: "Slideshows that were made from it stay as they are.",
  params: { templateId: "template" },
  reply: TemplateDeleted,
  message: "Template deleted.",
  refuses: ["not_found", "forbidden_template"],
  failure: "template_delete_failed",

  load: ({ db, key, params }) => templates.find(db, key.scope, params.templateId),

  async handle({ db, key, params }, found) {
    requireOwn(found);
    if (!(await templates.remove(db, key.scope, params.templateId))) throw noTemplate();
    return { id: params.templateId, deleted: true as const };
  },
});
