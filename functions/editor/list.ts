import { editorEndpoint } from "../../lib/http/families.ts";
import { listProjects } from "../../lib/queries/editor.ts";
import { toPage } from "../../lib/queries/paging.ts";
import { ProjectList, ProjectQuery } from "../../lib/schemas/editor.ts";

export default editorEndpoint("editor.list", {
  route: "GET /editor/projects",
  permission: "editor:read",
  summary: "List editor projects, most recently edited first",
  query: ProjectQuery,
  reply: ProjectList,
  message: "Editor projects in scope.",
  internalError: "editor_projects_list_failed",

  load: ({ db, key, query }) => listProjects(db, key.scope, query),

  async handle({ query }, found) {
    const { rows, nextCursor } = toPage(found, query.limit, ({ updatedAt, id }) => [updatedAt.getTime(), id]);
    return {
      projects: rows.map(({ id, title, aspectRatio, updatedAt }) => ({
        project_id: id,
        title,
        aspect_ratio: aspectRatio,
        updated_at: updatedAt,
      })),
      pagination: { next_cursor: nextCursor, has_more: nextCursor !== null },
    };
  },
});
