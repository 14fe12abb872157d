// What several operations on a slideshow refuse with.
import { type Refusal, refuse } from "../errors.ts";

export function noSlideshow(): Refusal {
  return refuse("not_found", "No slideshow with this id is visible to the key.");
}

/** For work that took a while. */
export function changedMeanwhile(): Refusal {
  const message =
    "The slideshow was changed or deleted while this ran, and nothing was written. Read it and try again.";
  return refuse("slideshow_changed", message);
}
