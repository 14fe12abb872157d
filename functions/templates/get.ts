import { endpoint } from "../../lib/endpoint.ts";
import * as templates from "../../lib/queries/templates.ts";
import { Template } from "../../lib/schemas/template.ts";
import { noTemplate } from "../../lib/templates/ownership.ts";

export default endpoint("templates.get", {
  route: "GET /templates/{templateId}",
  summary: "One template that the key can see",
  params: { templateId: "template" },
  reply: Template,
  message: "Template.",
  refuses: ["not_found"],
  failure: "template_get_failed",

  async handle({ db, key, params }) {
    const template = await templates.find(db, key.scope, params.templateId);
    if (!template) throw noTemplate();
    return template;
  },
});
