// The files of a workspace: folders, uploads, and what can be done with the chosen ones.
import type { FC } from "hono/jsx";
import { type FolderPath, findLibrary, type LibraryFilter } from "../../../lib/queries/file-library.ts";
import { Pager } from "../forms.tsx";
import { Empty, Layout } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { hasRole, PageError } from "../session.ts";
import { countThings, FileCard, FolderCard } from "./file-cards.tsx";
import { ACCEPTED_FILES, formatSize } from "./file-words.ts";
import { buildPageQuery, readLibraryFilter } from "./library-address.ts";
import { LibraryFilters } from "./library-filters.tsx";

/** Cards of a desk. */
const FIRST_ROW = 7;

type Library = NonNullable<Awaited<ReturnType<typeof findLibrary>>>;

interface LibraryProps {
  library: Library;
  filter: LibraryFilter;
  base: string;
  /** Of this page: without its script, a form comes back to it. */
  query: string;
  canEdit: boolean;
}

export async function showLibrary(c: PageContext): Promise<Response> {
  const filter = readLibraryFilter(c);
  const { services, workspace } = c.var;
  const library = await findLibrary(services.db, workspace.actor.scope, filter);
  if (!library) throw new PageError(404, "There is no such folder in this workspace. It may have been deleted.");
  const base = `/dashboard/${workspace.id}/files`;
  const canEdit = hasRole(workspace.role, "editor");
  const props = { library, filter, base, query: new URL(c.req.url).search, canEdit };
  const shown = filter.offset + library.files.length;
  return c.html(
    <Layout
      c={c}
      title={library.folder?.name ?? "Files"}
      active="files"
      scripts={["files"]}
      needsScript={canEdit ? "Uploading files" : undefined}
      actions={canEdit && <HeadActions {...props} />}
    >
      <div
        id="library"
        data-base={`/dashboard/${workspace.id}`}
        data-folder={filter.folderId ?? undefined}
        data-everywhere={filter.everywhere ? "true" : undefined}
        data-editable={canEdit ? "true" : undefined}
      >
        <div data-part="head">
          {library.folder && <Breadcrumb {...props} />}
          <p class="line">
            <span>
              {countThings(library.usage.total, "file")}, {formatSize(library.usage.bytes ?? 0)} used in this workspace
            </span>
            <a href={`/dashboard/${workspace.id}/usage`}>Usage</a>
          </p>
        </div>
        {library.usage.total > 0 && <LibraryFilters filter={filter} base={base} />}
        {canEdit && <ul id="uploads" class="uploads" aria-live="polite" />}
        <div data-part="content">
          <Content {...props} />
          {shown < library.total && <Pager query={buildPageQuery(c, shown)}>More files</Pager>}
        </div>
      </div>
    </Layout>,
  );
}

const HeadActions: FC<LibraryProps> = ({ library, filter, base }) => (
  <>
    {library.folder && (
      <>
        <button type="button" popovertarget="rename">
          Rename
        </button>
        <form
          class="panel"
          id="rename"
          popover="auto"
          method="post"
          action={`${base}/folders/${library.folder.id}/name`}
        >
          <label for="new-name">Name of this folder</label>
          <input id="new-name" name="name" required maxlength={255} value={library.folder.name} autofocus />
          <button type="submit" class="primary">
            Rename
          </button>
        </form>
      </>
    )}
    <button type="button" popovertarget="new-folder">
      New folder
    </button>
    <form class="panel" id="new-folder" popover="auto" method="post" action={`${base}/folders`}>
      <label for="folder-name">Name of the new folder</label>
      <input id="folder-name" name="name" required maxlength={255} autofocus />
      {filter.folderId && <input type="hidden" name="parent" value={filter.folderId} />}
      <button type="submit" class="primary">
        Create
      </button>
    </form>
    <label class="button primary upload-button" for="upload">
      Upload
    </label>
    <input id="upload" class="visually-hidden" type="file" multiple accept={ACCEPTED_FILES} />
  </>
);

const Breadcrumb: FC<LibraryProps> = ({ library, base }) => (
  <nav class="crumbs" aria-label="Folders">
    <ol>
      <li>
        <a href={base} data-drop="">
          Files
        </a>
      </li>
      {library.ancestors.map(({ id, name }) => (
        <li>
          <a href={`${base}?folder=${id}`} data-drop={id}>
            {name}
          </a>
        </li>
      ))}
      <li aria-current="page">{library.folder?.name}</li>
    </ol>
  </nav>
);

const isFiltered = ({ search, kind, source, shape, use, offset }: LibraryFilter) =>
  search !== "" || offset > 0 || [kind, source, shape, use].some((value) => value !== undefined);

const Content: FC<LibraryProps> = (props) => {
  const { library, filter, base, query, canEdit } = props;
  const folders = isFiltered(filter) || filter.everywhere ? [] : library.folders;
  if (folders.length === 0 && library.files.length === 0) return <Nothing {...props} />;
  return (
    <form id="chosen" method="post" action={`${base}/move${query}`}>
      {filter.folderId && !filter.everywhere && <input type="hidden" name="from" value={filter.folderId} />}
      <ul class="files" aria-label={filter.everywhere ? "Files" : "Folders and files"}>
        {folders.map((folder) => (
          <FolderCard folder={folder} base={base} canEdit={canEdit} />
        ))}
        {library.files.map((file, at) => (
          <FileCard file={file} base={base} canEdit={canEdit} isEarly={folders.length + at < FIRST_ROW} />
        ))}
      </ul>
      {canEdit && <p id="chosen-count" role="status" class="visually-hidden" />}
      {canEdit && <ChosenActions {...props} />}
    </form>
  );
};

const ChosenActions: FC<LibraryProps> = ({ library, filter, base, query }) => (
  <fieldset class="chosen-actions" id="chosen-actions">
    <legend class="visually-hidden">What to do with the chosen files</legend>
    <span class="count" aria-hidden="true" />
    <button type="button" popovertarget="move">
      Move…
    </button>
    <div class="panel" id="move" popover="auto" role="dialog" aria-labelledby="move-label">
      <label for="to" id="move-label">
        Move to
      </label>
      <FolderSelect paths={library.paths} current={filter.folderId} />
      <button type="submit" class="primary" value="move">
        Move here
      </button>
    </div>
    <button type="submit" value="project" formaction={base.replace(/files$/, "projects")}>
      Make a video project
    </button>
    <button type="submit" class="danger" value="delete" formaction={`${base}/delete${query}`}>
      Delete
    </button>
    <button type="button" class="quiet" id="choose-none">
      Choose none
    </button>
  </fieldset>
);

interface FolderSelectProps {
  paths: FolderPath[];
  current: string | null;
}

/** Every folder but the one that is open. */
export const FolderSelect: FC<FolderSelectProps> = ({ paths, current }) => (
  <select id="to" name="to">
    {current !== null && <option value="">Files, in no folder</option>}
    {paths
      .filter(({ id }) => id !== current)
      .map(({ id, path }) => (
        <option value={id}>{path}</option>
      ))}
    {current === null && paths.length === 0 && <option value="">There is no folder yet</option>}
  </select>
);

const Nothing: FC<LibraryProps> = ({ library, filter, base, canEdit }) => {
  if (isFiltered(filter))
    return (
      <Empty title="No file matches">
        <p>
          {filter.search && `No file's name has “${filter.search}” in it. `}
          <a href={filter.folderId ? `${base}?folder=${filter.folderId}` : base}>Show all files</a>
        </p>
      </Empty>
    );
  const title = library.folder
    ? "This folder is empty"
    : library.usage.total > 0
      ? "Every file is in a folder"
      : "No files yet";
  if (!canEdit)
    return (
      <Empty title={title}>
        <p>Your role is viewer. Files that editors upload are shown here.</p>
      </Empty>
    );
  return (
    <label class="drop big" for="upload">
      <strong>{title}</strong>
      <span>Drop videos and pictures here, or press to choose them.</span>
      <span class="hint">
        Videos up to 5 GB (MP4, MOV, WebM), pictures up to 20 MB (JPEG, PNG, WebP, GIF). An upload goes on after a lost
        connection.
      </span>
    </label>
  );
};
