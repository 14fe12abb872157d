import { endpoint } from "../../lib/endpoint.ts";
import * as editor from "../../lib/queries/editor.ts";
import { cursorOf, ProjectList, ProjectQuery } from "../../lib/schemas/editor.ts";

export default endpoint("editor.list", {
  route: "GET /editor/projects",
  summary: "List editor projects, most recently edited first",
  description:
    "Follow `pagination.next_cursor` until it is null. A project that is edited while you do so moves to the front: no other is skipped, and none comes twice.",
  query: ProjectQuery,
  badQuery: "invalid_payload",
  reply: ProjectList,
  message: "Editor projects in scope.",
  failure: "editor_projects_list_failed",
  absentPlan: 403,

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
      pagination: { next_cursor: last ? cursorOf(last) : null, has_more: last !== undefined },
    };
  },
});
