// The errors of folders and their items.

import { type FolderConflict, MAX_FOLDER_DEPTH } from "../queries/folder-updates.ts";
import type { MediaType } from "../schemas/folder.ts";
import { type ApiError, apiError } from "../shared/errors.ts";

export function toItemType(mediaType: MediaType): "file" | "slideshow" {
  return mediaType === "slideshow" ? "slideshow" : "file";
}

export function folderNotFound(): ApiError {
  return apiError("not_found", "No folder with this id is visible to the key. GET /folders lists those that are.");
}

export function parentNotFound(): ApiError {
  return apiError(
    "not_found",
    "parent_folder_id: no folder with this id is visible to the key. GET /folders lists them.",
  );
}

/** `attempt` decides the error code of a name conflict, which differs between creating and moving. */
export function toFolderError(obstacle: FolderConflict, attempt: "create" | "move"): ApiError {
  switch (obstacle) {
    case "no_parent":
      return parentNotFound();
    case "other_media_type":
      return apiError(
        "invalid_folder_media_type",
        "parent_folder_id is a folder of another media_type. A folder and its parent must have the same media_type.",
      );
    case "into_itself":
      return apiError("folder_move_conflict", "A folder cannot be moved into itself. Choose another parent_folder_id.");
    case "into_its_own":
      return apiError(
        "folder_move_conflict",
        "A folder cannot be moved under one of its own subfolders. Move that subfolder elsewhere first.",
      );
    case "name_taken":
      return apiError(
        attempt === "create" ? "folder_name_conflict" : "folder_move_conflict",
        "The parent already contains a folder with this name; names ignore case. Choose another name or another parent.",
      );
    case "too_deep":
      return apiError(
        "folder_too_deep",
        `Folders may be nested at most ${MAX_FOLDER_DEPTH} levels deep, including subfolders. Choose a parent nearer to the root.`,
      );
  }
}

/** `missing` are the requested ids that are not items of the folder's media type. */
export function itemNotFound(mediaType: MediaType, missing: string[]): ApiError {
  const what = { upload: "upload", slideshow: "slideshow", ai_image: "AI image", ai_video: "AI video" }[mediaType];
  const named = missing.slice(0, 3).join(", ");
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  return apiError(
    "item_not_found",
    `item_ids: this folder accepts only items of type ${what}, and none with the id ${named}${more} is visible to the key. No item was added.`,
  );
}
