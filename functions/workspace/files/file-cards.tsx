// Files and folders as cards of a grid.
import type { FC } from "hono/jsx";
import type { LibraryFile } from "../../../lib/queries/file-library.ts";
import type { StoredFolder } from "../../../lib/queries/folders.ts";
import { formatLength, formatSize } from "./file-words.ts";

/** A video shows a frame once it is near the screen; the script gives it its address. */
const FileThumbnail: FC<{ file: Pick<LibraryFile, "url" | "kind" | "durationMs">; isEarly?: boolean }> = ({
  file,
  isEarly,
}) => (
  <span class="thumb" aria-hidden="true">
    {file.kind === "image" ? (
      <img src={file.url} alt="" loading={isEarly ? undefined : "lazy"} decoding="async" draggable={false} />
    ) : (
      <video data-src={file.url} muted playsinline preload="none" />
    )}
    {file.durationMs !== null && <span class="length">{formatLength(file.durationMs)}</span>}
  </span>
);

interface FileCardProps {
  file: LibraryFile;
  base: string;
  canEdit: boolean;
  /** In the first row, whose pictures are loaded before the page is laid out. */
  isEarly: boolean;
}

export const FileCard: FC<FileCardProps> = ({ file, base, canEdit, isEarly }) => (
  <li class="file" data-file={file.id} data-name={file.filename}>
    {canEdit && <input type="checkbox" name="file" value={file.id} aria-label={`Choose ${file.filename}`} />}
    <a href={`${base}/${file.id}`} draggable={false} data-deeper>
      <FileThumbnail file={file} isEarly={isEarly} />
      <span class="name">{file.filename}</span>
    </a>
    <p class="hint">
      {file.kind === "video" ? "Video" : "Picture"} · {formatSize(file.size)}
      {file.origin !== "upload" && " · made by AI"}
    </p>
  </li>
);

interface FileChoicesProps {
  files: readonly Pick<LibraryFile, "id" | "filename" | "url" | "kind" | "durationMs">[];
  /** Names the list for readers of screens, where no legend does. */
  label?: string;
}

/** Boxes of a form that chooses files. */
export const FileChoices: FC<FileChoicesProps> = ({ files, label }) => (
  <ul class="files picker" aria-label={label}>
    {files.map((file) => (
      <li class="file">
        <label>
          <input type="checkbox" name="file" value={file.id} />
          <FileThumbnail file={file} />
          <span class="name">{file.filename}</span>
        </label>
      </li>
    ))}
  </ul>
);

interface FolderCardProps {
  folder: StoredFolder;
  base: string;
  canEdit: boolean;
}

export const FolderCard: FC<FolderCardProps> = ({ folder, base, canEdit }) => (
  <li class="file folder" data-folder={folder.id} data-name={folder.name}>
    {canEdit && (
      <input type="checkbox" name="subfolder" value={folder.id} aria-label={`Choose the folder ${folder.name}`} />
    )}
    <a href={`${base}?folder=${folder.id}`} draggable={false}>
      <span aria-hidden="true" class={`thumb previews-${Math.min(4, folder.previews.length)}`}>
        {folder.previews.map(({ url, contentType }) =>
          contentType?.startsWith("video/") ? (
            <video data-src={url} muted playsinline preload="none" />
          ) : (
            <img src={url} alt="" loading="lazy" decoding="async" draggable={false} />
          ),
        )}
        {folder.previews.length === 0 && <FolderMark />}
      </span>
      <span class="name">
        <FolderMark /> {folder.name}
      </span>
    </a>
    <p class="hint">{describeContent(folder)}</p>
  </li>
);

const FolderMark: FC = () => (
  <svg class="folder-mark" viewBox="0 0 24 24" aria-hidden="true">
    <path d="M3 6a2 2 0 0 1 2-2h4.6a2 2 0 0 1 1.4.6L12.4 6H19a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z" />
  </svg>
);

function describeContent({ fileCount, subfolderCount }: StoredFolder): string {
  const parts = [
    ...(subfolderCount > 0 ? [countThings(subfolderCount, "folder")] : []),
    ...(fileCount > 0 || subfolderCount === 0 ? [fileCount === 0 ? "empty" : countThings(fileCount, "file")] : []),
  ];
  return parts.join(", ");
}

export function countThings(count: number, thing: string): string {
  return `${count.toLocaleString("en-GB")} ${thing}${count === 1 ? "" : "s"}`;
}
