// Stored folders and their items in their public shape.
import { withContext } from "../queries/files.ts";
import type { ItemPage } from "../queries/folder-items.ts";
import type { Ancestor, StoredFolder } from "../queries/folders.ts";
import { toListedSlideshow } from "../queries/slideshows.ts";
import type { Folder, FolderFile, FolderSlideshow } from "../schemas/folder.ts";

export function toFolderResponse(folder: StoredFolder): Folder {
  return {
    id: folder.id,
    name: folder.name,
    media_type: folder.mediaType,
    parent_folder_id: folder.parentId,
    path: folder.path,
    file_count: folder.fileCount,
    subfolder_count: folder.subfolderCount,
    preview_files: folder.previews.map(({ id, url, contentType }) => ({ id, url, content_type: contentType })),
    created_at: folder.createdAt,
    updated_at: folder.updatedAt,
  };
}

export function toAncestorResponse({ id, name, parentId, depth }: Ancestor) {
  return { id, name, parent_folder_id: parentId, depth };
}

export function toItemResponses(page: ItemPage): (FolderFile | FolderSlideshow)[] {
  return page.mediaType === "slideshow"
    ? page.items.map(({ addedAt, ...slideshow }) => ({ ...toListedSlideshow(slideshow), added_at: addedAt }))
    : page.items.map(({ addedAt, ...file }) => ({
        ...withContext(file),
        content_type: file.contentType,
        created_at: file.createdAt,
        added_at: addedAt,
      }));
}
