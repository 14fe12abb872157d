import { endpoint } from "../../lib/endpoint.ts";
import * as templates from "../../lib/queries/templates.ts";
import { TemplateList, TemplateQuery } from "../../lib/schemas/template.ts";

export default endpoint("templates.list", {
  route: "GET /templates",
  summary: "List the templates that the key can see, newest created first",
  query: TemplateQuery,
  badQuery: "invalid_query",
  reply: TemplateList,
  message: "Templates visible to the key.",
  failure: "templates_list_failed",

  async handle({ db, key, query }) {
    const { rows, total } = await templates.list(db, key.scope, query);
    return { templates: rows, total, limit: query.limit, offset: query.offset };
  },
});
