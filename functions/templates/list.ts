import { endpoint } from "../../lib/http/endpoint.ts";
import { listTemplates } from "../../lib/queries/templates.ts";
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

  load({ db, key, query }) {
    const { search, created_since: createdSince, created_until: createdUntil, ...paging } = query;
    return listTemplates(db, key.scope, { search, createdSince, createdUntil, ...paging });
  },

  async handle({ query: { limit, offset } }, { rows, total, nextCursor }) {
    return { templates: rows.map(toTemplateResponse), total, limit, offset, next_cursor: nextCursor };
  },
});
