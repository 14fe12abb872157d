// A new slideshow, from the slides that were sent or from a template.
import type { Call } from "../call.ts";
import type { UsableTemplate } from "../queries/slideshow-sources.ts";
import type { NewSlideshow } from "../queries/slideshows.ts";
import type { SlideshowCreate } from "../schemas/slideshow.ts";
import { settingsFrom, slidesFrom } from "../templates/config.ts";
import { madeSettings } from "./settings.ts";
import { bareSlides } from "./slides.ts";

type Making = Pick<Call, "ids" | "now">;

export function draftFromSlides(body: SlideshowCreate, { ids, now }: Making): NewSlideshow {
  const { type, settings } = madeSettings(body.settings, ownType(body));
  return {
    id: ids(),
    title: body.title ?? "Untitled slideshow",
    slideshowType: type,
    productId: body.product_id ?? null,
    settings,
    slides: bareSlides(body.slides ?? []),
    originalPrompt: null,
    generation: null,
    now,
  };
}

/** What is sent beside the template goes before what the template says. */
export function draftFromTemplate(body: SlideshowCreate, template: UsableTemplate, { ids, now }: Making): NewSlideshow {
  const { config, images, name } = template;
  const { type, settings } = madeSettings(settingsFrom(config), body.settings, ownType(body));
  const { prompt, language, productId } = config.content;
  return {
    id: ids(),
    title: body.title ?? name,
    slideshowType: type,
    productId: body.product_id === undefined ? productId : body.product_id,
    settings,
    slides: bareSlides(slidesFrom(config, images)),
    originalPrompt: prompt?.trim() || null,
    generation: { language },
    now,
  };
}

function ownType({ slideshow_type }: SlideshowCreate) {
  return slideshow_type ? { slideshow_type } : undefined;
}
