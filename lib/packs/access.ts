// Access checks for packs.
import { type ApiError, apiError } from "../shared/errors.ts";

/** Throws unless the pack belongs to the key's scope. */
export function requireOwnPack(pack: { mine: boolean } | null): void {
  if (!pack) throw packNotFound();
  if (pack.mine) return;
  throw apiError(
    "forbidden_pack",
    "This pack belongs to another workspace or owner: it is public, so it can be read but not changed. Create a pack and add the images to it.",
  );
}

export function packNotFound(): ApiError {
  return apiError("not_found", "No pack with this id is visible to the key.");
}
