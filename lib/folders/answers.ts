// Why a folder cannot be made or moved, and what an item of a folder is, in the words of the API.
import { type Refusal, refuse } from "../errors.ts";
import { DEPTH_AT_MOST, type Obstacle } from "../queries/folders.ts";
import type { MediaType } from "../schemas/folder.ts";

export function itemTypeOf(mediaType: MediaType): "file" | "slideshow" {
  return mediaType === "slideshow" ? "slideshow" : "file";
}

export function noFolder(): Refusal {
  return refuse("not_found", "No folder with this id is visible to the key. GET /folders lists those that are.");
}

export function noParent(): Refusal {
  return refuse(
    "not_found",
    "parent_folder_id: no folder with this id is visible to the key. GET /folders lists them.",
  );
}

/** `attempt` names the conflict where a move and a creation call it by different codes. */
export function refusalOf(obstacle: Obstacle, attempt: "create" | "move"): Refusal {
  switch (obstacle) {
    case "no_parent":
      return noParent();
    case "other_media_type":
      return refuse(
        "invalid_folder_media_type",
        "parent_folder_id names a folder of another media_type. A folder lies under folders of its own media_type only.",
      );
    case "into_itself":
      return refuse("folder_move_conflict", "A folder cannot be moved into itself. Name another parent_folder_id.");
    case "into_its_own":
      return refuse(
        "folder_move_conflict",
        "A folder cannot be moved under one of its own subfolders. Move that subfolder elsewhere first.",
      );
    case "name_taken":
      return refuse(
        attempt === "create" ? "folder_name_conflict" : "folder_move_conflict",
        "A folder with this name lies there already; case makes no difference. Choose another name or another parent.",
      );
    case "too_deep":
      return refuse(
        "folder_too_deep",
        `Folders nest at most ${DEPTH_AT_MOST} levels deep, what a folder holds included. Choose a parent nearer to the root.`,
      );
  }
}

/** `missing` are ids of a request that the folder cannot hold. */
export function noItem(mediaType: MediaType, missing: string[]): Refusal {
  const what = { upload: "upload", slideshow: "slideshow", ai_image: "AI image", ai_video: "AI video" }[mediaType];
  const named = missing.slice(0, 3).join(", ");
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
  return refuse(
    "item_not_found",
    `item_ids: no ${what} with the id ${named}${more} is visible to the key, and this folder holds nothing else. Nothing was added.`,
  );
}
