// Projects of the video editor: made from chosen files, deleted, and the way from the link of the API to a project.
import type { FC } from "hono/jsx";
import { findProjectScope, listProjectCards, type ProjectCard } from "../../../lib/queries/editor-activity.ts";
import { type LibraryFile, listFilesById, listRecentFiles } from "../../../lib/queries/file-library.ts";
import { readAll } from "../../../lib/queries/read.ts";
import { toApiError } from "../../../lib/shared/errors.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import createProjectOperation from "../../editor/create.ts";
import deleteProjectOperation from "../../editor/delete.ts";
import { readChosen } from "../files/actions.ts";
import { FileChoices } from "../files/file-cards.tsx";
import { formatLength } from "../files/file-words.ts";
import { formatDistance } from "../format.ts";
import { Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { Page, PageContext } from "../page.ts";
import { runOperation } from "../run-operation.ts";
import { finishAction, hasRole, PageError, requireId, setNotice } from "../session.ts";

const PAGE_SIZE = 48;
const MAX_OFFSET = 10_000;
/** As many files as a new project offers; the files page has them all. */
const RECENT_FILES = 24;
const MAX_FILES = 20;
const MAX_TITLE = 200;

const RATIOS = [
  ["9:16", "Upright, 9:16"],
  ["4:5", "Portrait, 4:5"],
  ["1:1", "Square, 1:1"],
  ["16:9", "Wide, 16:9"],
] as const;

async function showProjects(c: PageContext): Promise<Response> {
  const { services, workspace } = c.var;
  const offset = Math.min(MAX_OFFSET, Math.max(0, Number.parseInt(c.req.query("from") ?? "", 10) || 0));
  const { scope } = workspace.actor;
  const [projects, files] = await readAll(services.db, [
    listProjectCards(services.db, scope.id, { limit: PAGE_SIZE + 1, offset }),
    listRecentFiles(services.db, scope, RECENT_FILES),
  ]);
  const base = `/dashboard/${workspace.id}`;
  const canEdit = hasRole(workspace.role, "editor");
  const isEmpty = projects.length === 0 && offset === 0;
  return c.html(
    <Layout
      c={c}
      title="Editor"
      active="projects"
      scripts={["projects"]}
      actions={
        canEdit &&
        !isEmpty && (
          <>
            <button type="button" class="primary" popovertarget="new-project">
              New project
            </button>
            <div class="panel large" id="new-project" popover="auto">
              <NewProject files={files} base={base} />
            </div>
          </>
        )
      }
    >
      {isEmpty ? (
        <Empty title="No projects yet">
          <p>
            A project cuts videos and pictures together and writes captions from what is spoken in them.
            {!canEdit && " Editors of this workspace make them."}
          </p>
          {canEdit && <NewProject files={files} base={base} />}
        </Empty>
      ) : (
        <ul class="files" id="projects">
          {projects.slice(0, PAGE_SIZE).map((project) => (
            <Card project={project} base={base} now={c.var.now} canEdit={canEdit} />
          ))}
        </ul>
      )}
      {projects.length > PAGE_SIZE && <Pager query={{ from: String(offset + PAGE_SIZE) }}>Older projects</Pager>}
    </Layout>,
  );
}

const Card: FC<{ project: ProjectCard; base: string; now: Date; canEdit: boolean }> = (props) => {
  const { id, title, aspectRatio, updatedAt, picture, durationMs, hasCaptions } = props.project;
  return (
    <li class="file">
      <a href={`${props.base}/projects/${id}`} data-deeper>
        <span class="thumb" aria-hidden="true">
          {picture?.type === "image" ? (
            <img src={picture.url} alt="" loading="lazy" decoding="async" />
          ) : (
            picture && <video data-src={picture.url} muted playsinline preload="none" />
          )}
          <span class="length">{formatLength(durationMs)}</span>
        </span>
        <span class="name">{title}</span>
      </a>
      <p class="hint">
        {aspectRatio} · edited {formatDistance(updatedAt, props.now)}
        {hasCaptions && " · captions"}
      </p>
      {props.canEdit && (
        <form method="post" action={`${props.base}/projects/${id}/delete`} data-delete={title}>
          <button type="submit" class="quiet" aria-label={`Delete ${title}`}>
            Delete
          </button>
        </form>
      )}
    </li>
  );
};

const NewProject: FC<{ files: LibraryFile[]; base: string }> = ({ files, base }) =>
  files.length === 0 ? (
    <p>
      <a class="button primary" href={`${base}/files`}>
        Upload the first video
      </a>
    </p>
  ) : (
    <form method="post" action={`${base}/projects`} class="new-project">
      <fieldset>
        <legend>Files, up to {MAX_FILES}, one after the other</legend>
        <FileChoices files={files} />
      </fieldset>
      {files.length === RECENT_FILES && (
        <p class="hint">
          These are the newest. Choose older ones on the <a href={`${base}/files`}>files page</a>.
        </p>
      )}
      <div class="fields">
        <div>
          <label for="project-title">Title</label>
          <input id="project-title" name="title" maxlength={MAX_TITLE} placeholder="The name of the first file" />
        </div>
        <div>
          <label for="project-ratio">Shape</label>
          <select id="project-ratio" name="ratio">
            <option value="">As the first file</option>
            {RATIOS.map(([ratio, words]) => (
              <option value={ratio}>{words}</option>
            ))}
          </select>
        </div>
      </div>
      <p class="row">
        <button type="submit" class="primary">
          Make the project
        </button>
      </p>
    </form>
  );

/** From the chosen files, in the order in which the page lists them. */
async function createProject(c: PageContext): Promise<Response> {
  const { files } = await readChosen(c);
  const { title, ratio } = await c.req.parseBody();
  const { services, workspace } = c.var;
  const base = `/dashboard/${workspace.id}`;
  const problem = (text: string) => {
    setNotice(c, { kind: "problem", text });
    return c.redirect(`${base}/projects`, 303);
  };
  if (files.length === 0) return problem("Choose at least one video or picture for the project.");
  if (files.length > MAX_FILES) return problem(`A project begins with at most ${MAX_FILES} files. Choose fewer.`);
  const known = await listFilesById(services.db, workspace.actor.scope, files);
  if (known.length < files.length)
    throw new PageError(404, "One of the chosen files is not in this workspace. It may have been deleted.");
  const name = known.find(({ id }) => id === files[0])?.filename.replace(/\.[^.]+$/, "") ?? "";
  const given = typeof title === "string" ? title.trim() : "";
  const body = {
    title: (given || name || "New project").slice(0, MAX_TITLE),
    ...(RATIOS.some(([one]) => one === ratio) ? { aspect_ratio: ratio } : {}),
    file_ids: files,
  };
  try {
    const created = await runOperation<{ project_id: string }>(c, createProjectOperation, { body });
    return c.redirect(`${base}/projects/${created.project_id}`, 303);
  } catch (error) {
    if (toApiError(error)?.code !== "invalid_document") throw error;
    return problem("These files last over 24 hours together, which is the most that a project can have. Choose fewer.");
  }
}

async function deleteProject(c: PageContext): Promise<Response> {
  const projectId = requireId(c, "projectId", "project");
  await runOperation(c, deleteProjectOperation, { params: { projectId } });
  return finishAction(c, "projects", "The project is deleted. Its files are kept.");
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

const DELETE = "/projects/:projectId/delete";

export const projectPages: Page[] = [
  { id: "editor.list", method: "GET", path: "/projects", role: "viewer", handle: showProjects },
  { id: "editor.create", method: "POST", path: "/projects", role: "editor", handle: createProject },
  { id: "editor.delete", method: "POST", path: DELETE, role: "editor", handle: deleteProject },
];
