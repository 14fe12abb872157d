// New slideshows from slides or from a template.

import type { UsableTemplate } from "../queries/slideshow-sources.ts";
import type { NewSlideshow } from "../queries/slideshows.ts";
import type { SlideshowCreate } from "../schemas/slideshow.ts";
import type { RequestContext } from "../services/context.ts";
import { buildDraftSettings, buildSlides } from "../templates/convert-config.ts";
import { mergeSettings } from "./settings.ts";
import { toBareSlides } from "./slides.ts";

type DraftContext = Pick<RequestContext, "ids" | "now">;

export function createDraftFromSlides(body: SlideshowCreate, { ids, now }: DraftContext): NewSlideshow {
  const { type, settings } = mergeSettings(body.settings, toTypeSetting(body));
  return {
    id: ids(),
    title: body.title ?? "Untitled slideshow",
    slideshowType: type,
    productId: body.product_id ?? null,
    settings,
    slides: toBareSlides(body.slides ?? []),
    originalPrompt: null,
    generation: null,
    now,
  };
}

/** Fields of the request take precedence over those of the template. */
export function createDraftFromTemplate(
  body: SlideshowCreate,
  template: UsableTemplate,
  { ids, now }: DraftContext,
): NewSlideshow {
  const { config, images, name } = template;
  const { type, settings } = mergeSettings(buildDraftSettings(config), body.settings, toTypeSetting(body));
  const { prompt, language, productId } = config.content;
  return {
    id: ids(),
    title: body.title ?? name,
    slideshowType: type,
    productId: body.product_id === undefined ? productId : body.product_id,
    settings,
    slides: toBareSlides(buildSlides(config, images)),
    originalPrompt: prompt?.trim() || null,
    generation: { language },
    now,
  };
}

function toTypeSetting({ slideshow_type }: SlideshowCreate) {
  return slideshow_type ? { slideshow_type } : undefined;
}
