// The errors of slideshows.
import { type ApiError, apiError } from "../shared/errors.ts";

export function slideshowNotFound(): ApiError {
  return apiError("not_found", "No slideshow with this id is visible to the key.");
}

/** For long-running operations that find the slideshow changed when they write. */
export function slideshowChanged(): ApiError {
  const message =
    "The slideshow was changed or deleted during this request, and nothing was stored. Read it and try again.";
  return apiError("slideshow_changed", message);
}

/** For an update whose `expected_updated_at` is not that of the slideshow. */
export function slideshowConflict(): ApiError {
  const message = "The slideshow was changed by another request. Read it again, then retry.";
  return apiError("slideshow_conflict", message);
}
