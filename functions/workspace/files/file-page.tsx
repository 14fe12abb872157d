// One file: the file itself, its facts, the networks that take it, and where it is used.
import type { FC } from "hono/jsx";
import { type FolderPath, findFileUses, listFolderPaths } from "../../../lib/queries/file-library.ts";
import { type FileRow, findFile } from "../../../lib/queries/files.ts";
import type { PlatformFit } from "../../../lib/schemas/file.ts";
import { PLATFORMS } from "../../../lib/shared/platforms.ts";
import { toFileDetails } from "../../../lib/uploads/file-report.ts";
import { formatInstant, getPlatformName } from "../format.ts";
import { Layout } from "../layout.tsx";
import type { PageContext } from "../page.ts";
import { PlatformMark } from "../platform-mark.tsx";
import { hasRole, PageError, requireId } from "../session.ts";
import { listFileFacts } from "./file-words.ts";
import { FolderSelect } from "./library-page.tsx";

export async function showFile(c: PageContext): Promise<Response> {
  const id = requireId(c, "fileId", "file");
  const { services, workspace } = c.var;
  const { scope } = workspace.actor;
  const [file, uses, paths] = await Promise.all([
    findFile(services.db, scope, id),
    findFileUses(services.db, scope, id),
    listFolderPaths(services.db, scope),
  ]);
  if (!file) throw new PageError(404, "There is no such file in this workspace. It may have been deleted.");
  const { fit, attestation } = toFileDetails(file);
  const base = `/dashboard/${workspace.id}`;
  const canEdit = hasRole(workspace.role, "editor");
  const [folder] = uses[2];
  return c.html(
    <Layout
      c={c}
      title={file.filename}
      active="files"
      scripts={["files"]}
      actions={canEdit && <Actions base={base} file={file} folderId={folder?.id ?? null} paths={paths} />}
    >
      <div id="file" data-base={base} data-name={file.filename}>
        <nav class="crumbs" aria-label="Folders">
          <ol>
            <li>
              <a href={`${base}/files`}>Files</a>
            </li>
            {folder && (
              <li>
                <a href={`${base}/files?folder=${folder.id}`}>{folder.name}</a>
              </li>
            )}
            <li aria-current="page">{file.filename}</li>
          </ol>
        </nav>
        <div class="file-detail">
          <div class="shown">
            {file.kind === "video" ? (
              <video src={file.url} controls preload="metadata" playsinline aria-label={file.filename}>
                <track kind="captions" />
              </video>
            ) : (
              <img src={file.url} alt={file.filename} />
            )}
          </div>
          <div class="about">
            <section class="card" aria-labelledby="facts-title">
              <h2 id="facts-title">About this file</h2>
              <dl class="facts">
                {listFileFacts(file).map(([name, value]) => (
                  <>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </>
                ))}
                <dt>Added</dt>
                <dd>{formatInstant(file.createdAt, c.var.timeZone)}</dd>
              </dl>
              {attestation?.warnings?.map(({ message }) => (
                <p class="notice wait">{message}</p>
              ))}
              <p>
                <a href={file.url} download={file.filename}>
                  Open the file itself
                </a>
              </p>
            </section>
            <Fit fit={fit} />
            <Uses base={base} uses={uses} />
          </div>
        </div>
      </div>
    </Layout>,
  );
}

interface ActionsProps {
  base: string;
  file: FileRow;
  folderId: string | null;
  paths: FolderPath[];
}

const Actions: FC<ActionsProps> = ({ base, file, folderId, paths }) => (
  <>
    <a class="button primary" href={`${base}/compose?file=${file.id}`}>
      Post it
    </a>
    <form method="post" action={`${base}/projects`}>
      <input type="hidden" name="file" value={file.id} />
      <button type="submit">Make a video project</button>
    </form>
    <button type="button" popovertarget="move">
      Move…
    </button>
    <form class="panel" id="move" popover="auto" method="post" action={`${base}/files/move`}>
      <input type="hidden" name="file" value={file.id} />
      {folderId && <input type="hidden" name="from" value={folderId} />}
      <label for="to">Move to</label>
      <FolderSelect paths={paths} current={folderId} />
      <button type="submit" class="primary">
        Move here
      </button>
    </form>
    <form id="delete-file" method="post" action={`${base}/files/delete`}>
      <input type="hidden" name="file" value={file.id} />
      {folderId && <input type="hidden" name="from" value={folderId} />}
      <button type="submit" class="danger">
        Delete
      </button>
    </form>
  </>
);

const Fit: FC<{ fit: PlatformFit }> = ({ fit }) => (
  <section class="card" aria-labelledby="fit-title">
    <h2 id="fit-title">Where it can be posted as it is</h2>
    <ul class="fit">
      {PLATFORMS.map((platform) => {
        const { ok, problems } = fit[platform];
        return (
          <li>
            <PlatformMark platform={platform} />
            <div>
              <strong>{getPlatformName(platform)}</strong>{" "}
              {ok ? <span class="good">fits</span> : <span class="bad">does not fit</span>}
              {problems.map(({ message }) => (
                <p class="hint">{message}</p>
              ))}
            </div>
          </li>
        );
      })}
    </ul>
  </section>
);

interface UsesProps {
  base: string;
  uses: Awaited<ReturnType<typeof findFileUses>>;
}

const Uses: FC<UsesProps> = ({ base, uses: [posts, projects, folders] }) => (
  <section class="card" aria-labelledby="uses-title">
    <h2 id="uses-title">Where it is used</h2>
    {posts.length + projects.length + folders.length === 0 ? (
      <p class="hint">In no post, no project and no folder.</p>
    ) : (
      <ul class="uses">
        {posts.map(({ id, caption, status }) => (
          <li>
            <a href={`${base}/posts/${id}`}>{caption || "A post without text"}</a> <small>post, {status}</small>
          </li>
        ))}
        {projects.map(({ id, title }) => (
          <li>
            <a href={`${base}/projects/${id}`}>{title}</a> <small>video project</small>
          </li>
        ))}
        {folders.map(({ id, name }) => (
          <li>
            <a href={`${base}/files?folder=${id}`}>{name}</a> <small>folder</small>
          </li>
        ))}
      </ul>
    )}
  </section>
);
