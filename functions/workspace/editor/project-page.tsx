// The page of a project: player, timeline, the fields of what is chosen, text clips, and who did what.
import type { FC } from "hono/jsx";
import { getDuration } from "../../../lib/editor/document.ts";
import type { StoredProject } from "../../../lib/queries/editor.ts";
import { type ActivityEntry, findProjectWithActivity } from "../../../lib/queries/editor-activity.ts";
import { listRecentFiles } from "../../../lib/queries/file-library.ts";
import { isUuid } from "../../../lib/shared/ids.ts";
import { formatDistance, formatInstant } from "../format.ts";
import { Layout } from "../layout.tsx";
import { type PageContext, takeLoaded } from "../page.ts";
import { formatTime } from "../scripts/shared/time.ts";
import { hasRole, PageError, requireId } from "../session.ts";
import { Export } from "./export.tsx";
import { type Entries, Expected, SelectedFields } from "./fields.tsx";
import { readSelection, readTextOffset, type Selection, TEXTS_PER_PAGE } from "./project-view.ts";
import { SpokenWords } from "./spoken-words.tsx";
import { Texts } from "./texts.tsx";
import { Timeline } from "./timeline.tsx";

const MAX_ACTIVITY = 50;
/** As many files as are offered to be added. */
const RECENT_FILES = 24;

/** The reason why a change was not stored, and the entries of the person. */
export interface Problem {
  message: string;
  status: 400 | 409 | 422 | 429 | 502 | 503;
  selection: Selection | null;
  entries: Entries;
}

export function requireProjectId(c: PageContext): string {
  return requireId(c, "projectId", "project");
}

/** Null for an id that the workspace does not have. */
export async function loadProject(c: PageContext, workspaceId: string) {
  const id = c.req.param("projectId") ?? "";
  return isUuid(id) ? findProjectWithActivity(c.var.services.db, workspaceId, id, MAX_ACTIVITY) : null;
}

export async function sendProject(c: PageContext, problem?: Problem): Promise<Response> {
  const { workspace, now } = c.var;
  // A project that was loaded before an action is no longer current after it.
  const found = problem ? await loadProject(c, workspace.id) : await takeLoaded(c, loadProject);
  if (!found) throw new PageError(404, "There is no such project in this workspace.");
  const { project, activity } = found;
  const { transcript } = project;
  const isLocked = project.lockedUntil !== null && project.lockedUntil > now;
  // After a change that was not stored, the fields stay open for the next attempt.
  const canEdit = hasRole(workspace.role, "editor") && (!isLocked || problem !== undefined);
  const selection = problem ? problem.selection : readSelection(c);
  const offset = readTextOffset(c, project.document, selection);
  const texts = project.document.text_clips.slice(offset, offset + TEXTS_PER_PAGE);
  const base = `/dashboard/${workspace.id}/projects/${project.id}`;
  const durationMs = getDuration(project.document);
  const fields = { project, selection, entries: problem?.entries ?? {}, canEdit, base };
  const files =
    canEdit && c.req.query("add") !== undefined
      ? await listRecentFiles(c.var.services.db, workspace.actor.scope, RECENT_FILES)
      : null;
  return c.html(
    <Layout c={c} title={project.title} active="projects" scripts={["editor"]}>
      <div
        id="editor"
        class="editor"
        data-base={base}
        data-api={`/dashboard/${workspace.id}/api`}
        data-project={project.id}
      >
        <State c={c} project={project} activity={activity} isLocked={isLocked} problem={problem} />
        <p id="editor-note" role="status" class="visually-hidden" />
        <div class="stage-and-fields">
          <Player project={project} durationMs={durationMs} />
          <Texts {...fields} texts={texts} offset={offset} />
        </div>
        <Timeline {...{ document: project.document, texts, durationMs, selection, canEdit }} />
        <div class="clip-and-words">
          <SelectedFields {...fields} files={files} />
          <SpokenWords project={project} transcript={transcript} />
        </div>
        <Export project={project} base={base} canEdit={canEdit} />
        <Activity c={c} activity={activity} />
      </div>
    </Layout>,
    problem?.status ?? 200,
  );
}

interface StateProps {
  c: PageContext;
  project: StoredProject;
  activity: ActivityEntry[];
  isLocked: boolean;
  problem: Problem | undefined;
}

/** The lock, a change that was not stored, the last change, its undo, and the title. */
const State: FC<StateProps> = ({ c, project, activity, isLocked, problem }) => {
  const { workspace, now } = c.var;
  const base = `/dashboard/${workspace.id}/projects/${project.id}`;
  const { undo } = project.document;
  const mayEdit = hasRole(workspace.role, "editor");
  return (
    <div
      class="state"
      data-part="state"
      data-updated={project.updatedAt.toISOString()}
      data-locked={isLocked ? "true" : undefined}
    >
      {problem && (
        <p class="notice problem" role="alert">
          {problem.message}
          {problem.status === 409 && (
            <>
              {" "}
              <a href={base} data-load data-discard>
                Keep the stored version
              </a>
            </>
          )}
        </p>
      )}
      {isLocked && (
        <p class="notice wait" role="status">
          The assistant is editing this project. You can watch it; your own changes are possible again in a few seconds.
        </p>
      )}
      <div class="line">
        <span>
          {project.aspectRatio} · changed {formatDistance(project.updatedAt, now)}
          {activity[0] && ` by ${activity[0].who}`}
        </span>
        {mayEdit ? (
          <>
            {undo && (
              <form method="post" action={`${base}/undo`} data-save>
                <Expected project={project} />
                <button type="submit" disabled={isLocked}>
                  Undo “{undo.label}”
                </button>
              </form>
            )}
            <details>
              <summary>Rename</summary>
              <form method="post" action={`${base}/title`} class="row">
                <Expected project={project} />
                <label class="visually-hidden" for="title">
                  Title
                </label>
                <input
                  id="title"
                  name="title"
                  maxlength={200}
                  required
                  value={problem?.entries.title ?? project.title}
                />
                <button type="submit" disabled={isLocked}>
                  Save the title
                </button>
              </form>
            </details>
          </>
        ) : (
          <span>Your role is viewer: you can watch this project, and an editor can change it.</span>
        )}
      </div>
    </div>
  );
};

const Player: FC<{ project: StoredProject; durationMs: number }> = ({ project, durationMs }) => (
  <section aria-label="Player">
    <div class="stage" data-ratio={project.aspectRatio}>
      <div class="media" />
      <div class="overlay" />
      <p class="stage-note" id="stage-note">
        The player needs JavaScript.
      </p>
    </div>
    <div class="controls">
      <button type="button" id="play" aria-describedby="position-text" disabled>
        Play
      </button>
      <input id="position" type="range" min="0" max={durationMs} step="100" value="0" aria-label="Position" />
      <output id="position-text" for="position">
        {formatTime(0)} / {formatTime(durationMs)}
      </output>
    </div>
  </section>
);

const KIND_WORDS: Record<ActivityEntry["kind"], string> = {
  created: "created the project",
  edited: "changed the project",
  captions_added: "added captions",
};

const Activity: FC<{ c: PageContext; activity: ActivityEntry[] }> = ({ c, activity }) => (
  <section aria-labelledby="activity-title" data-part="activity">
    <h2 id="activity-title">Activity</h2>
    <ol class="trace">
      {activity.map(({ kind, note, who, isPerson, at }) => (
        <li>
          <time datetime={at.toISOString()}>{formatInstant(at, c.var.timeZone)}</time>
          <span>
            <strong>{who}</strong> {!isPerson && <small>API</small>} {KIND_WORDS[kind]}
            {note && <q>{note}</q>}
          </span>
        </li>
      ))}
    </ol>
  </section>
);
