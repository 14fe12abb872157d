// Fills the places of slides on a page when they come into view.
import type { RenderSettings } from "../../../../lib/rendering/settings.ts";
import type { BareSlide } from "../../../../lib/schemas/slide.ts";
import { previewSlide } from "./preview.ts";

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      observer.unobserve(target);
      const slide = JSON.parse(target.dataset.slide ?? "null") as BareSlide;
      const settings = JSON.parse(target.dataset.settings ?? "{}") as RenderSettings;
      // Without its fonts a slide keeps its words.
      previewSlide(target, slide, settings).catch(() => undefined);
    }
  },
  { rootMargin: "200px" },
);

export function showSlidePreviews(root: ParentNode): void {
  for (const place of root.querySelectorAll(".slide[data-slide]")) observer.observe(place);
}
