import { endpoint } from "../../lib/http/endpoint.ts";
import * as templates from "../../lib/queries/templates.ts";
import { TemplateList, TemplateQuery } from "../../lib/schemas/template.ts";
import { toTemplateResponse } from "../../lib/templates/to-response.ts";

export default endpoint("templates.list", {
  route: "GET /templates",
  permission: "content:read",
  summary: "List the templates that the key can see, newest created first",
  query: TemplateQuery,
  reply: TemplateList,
  message: "Templates visible to the key.",
  internalError: "templates_list_failed",

  async handle({ db, key, query }) {
    const { search, created_since: createdSince, created_until: createdUntil, limit, offset } = query;
    const filter = { search, createdSince, createdUntil, limit, offset };
    const { rows, total } = await templates.list(db, key.scope, filter);
    return { templates: rows.map(toTemplateResponse), total, limit, offset };
  },
});
