import { editorEndpoint } from "../../lib/http/families.ts";
import * as editor from "../../lib/queries/editor.ts";
import { encodeCursor, ProjectList, ProjectQuery } from "../../lib/schemas/editor.ts";

export default editorEndpoint("editor.list", {
  route: "GET /editor/projects",
  permission: "editor:read",
  summary: "List editor projects, most recently edited first",
  query: ProjectQuery,
  reply: ProjectList,
  message: "Editor projects in scope.",
  internalError: "editor_projects_list_failed",

  async handle({ db, key, query }) {
    const found = await editor.list(db, key.scope, query);
    const page = found.slice(0, query.limit);
    const last = found.length > page.length ? page.at(-1) : undefined;
    return {
      projects: page.map(({ id, title, aspectRatio, updatedAt }) => ({
        project_id: id,
        title,
        aspect_ratio: aspectRatio,
        updated_at: updatedAt,
      })),
      pagination: { next_cursor: last ? encodeCursor(last) : null, has_more: last !== undefined },
    };
  },
});
