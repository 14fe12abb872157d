// Projects of the video editor, and the way from the link of the API to a project.
import type * as z from "zod";
import { findProjectScope } from "../../../lib/queries/editor-activity.ts";
import type { ProjectList } from "../../../lib/schemas/editor.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import listProjects from "../../editor/list.ts";
import { formatDistance } from "../format.ts";
import { Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { PageError } from "../session.ts";

const PAGE_SIZE = 50;

async function showProjects(c: PageContext): Promise<Response> {
  const cursor = c.req.query("cursor");
  const query = { limit: String(PAGE_SIZE), ...(cursor ? { cursor } : {}) };
  const { projects, pagination } = await runOperation<z.output<typeof ProjectList>>(c, listProjects, { query });
  const base = `/dashboard/${c.var.workspace.id}/projects`;
  return c.html(
    <Layout c={c} title="Editor" active="projects">
      {projects.length === 0 ? (
        <Empty title="No projects yet">
          <p>
            Create one from uploaded files with <code>POST /editor/projects</code>: it is listed here, and its{" "}
            <code>editor_url</code> opens it.
          </p>
        </Empty>
      ) : (
        <ul class="choices">
          {projects.map(({ project_id, title, aspect_ratio, updated_at }) => (
            <li>
              <a href={`${base}/${project_id}`} data-deeper>
                <strong>{title}</strong>{" "}
                <small>
                  {aspect_ratio} · edited {formatDistance(new Date(updated_at), c.var.now)}
                </small>
              </a>
            </li>
          ))}
        </ul>
      )}
      {pagination.next_cursor && <Pager query={{ cursor: pagination.next_cursor }}>Older projects</Pager>}
    </Layout>,
  );
}

/** `editor_url` names no workspace: the project is looked for in those of the person who is signed in. */
export async function openProject(c: PageContext): Promise<Response> {
  const id = c.req.param("projectId") ?? "";
  const { services, session } = c.var;
  const own = session.workspaces.map((workspace) => workspace.id);
  const scopeId = isUuid(id) ? await findProjectScope(services.db, own, id) : null;
  if (!scopeId) throw new PageError(404, "There is no such project in a workspace of yours.");
  return c.redirect(`/dashboard/${scopeId}/projects/${id}`);
}

export const projectPages: Page[] = [
  { id: "editor.list", method: "GET", path: "/projects", role: "viewer", handle: showProjects },
];
