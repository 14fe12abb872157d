// The editable content of a slideshow, compared and cut into the parts that a request sends.
import type { BareSlide } from "../../../../lib/schemas/slide.ts";
import type { Body, Data } from "../shared/api.ts";

type Slideshow = Data<"GET /slideshows/{slideshowId}">;

export interface Content extends Pick<Slideshow, "title" | "product_id" | "slideshow_type"> {
  slides: BareSlide[];
  settings: Pick<Slideshow["settings"], "aspect_ratio" | "advanced_settings">;
}

export function toContent({ title, product_id, slideshow_type, slides, settings }: Slideshow): Content {
  const { aspect_ratio, advanced_settings } = settings;
  return {
    ...{ title, product_id, slideshow_type },
    slides: slides.map(({ index: _, rendered_image_url: __, ...slide }) => slide as BareSlide),
    settings: { aspect_ratio, advanced_settings },
  };
}

/** With its keys in order, because the database does not keep theirs. */
function toComparable(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

export function isSame(one: unknown, other: unknown): boolean {
  return one === other || toComparable(one) === toComparable(other);
}

type Patch = Omit<Body<"PATCH /slideshows/{slideshowId}">, "expected_updated_at">;

/** The fields that differ from what is stored; null if none does. */
export function buildPatch(stored: Content, current: Content): Patch | null {
  const { title, product_id, slideshow_type, slides, settings } = current;
  const patch = {
    // A title is stored when it has a word.
    ...(title.trim() === stored.title || title.trim() === "" ? {} : { title: title.trim() }),
    ...(product_id === stored.product_id ? {} : { product_id }),
    ...(slideshow_type === stored.slideshow_type ? {} : { slideshow_type }),
    ...(isSame(slides, stored.slides) ? {} : { slides }),
    ...(isSame(settings, stored.settings) ? {} : { settings }),
  };
  return Object.keys(patch).length > 0 ? (patch as Patch) : null;
}
