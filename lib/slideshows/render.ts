// Renders the slides of a slideshow to images: all of them, or the slideshow stays unchanged.

import { saveRenderedImages } from "../queries/slideshow-updates.ts";
import type { findSlideshowWithRenderHash } from "../queries/slideshows.ts";
import { renderSlides } from "../rendering/render-slides.ts";
import { listImages } from "../rendering/scene.ts";
import type { Slideshow } from "../schemas/slideshow.ts";
import type { RequestContext } from "../services/context.ts";
import { countOutsideUrls } from "../services/outside-urls.ts";
import { apiError } from "../shared/errors.ts";
import { slideshowChanged } from "./errors.ts";

type StoredSlideshow = NonNullable<Awaited<ReturnType<typeof findSlideshowWithRenderHash>>>;

export async function renderSlideshow(
  context: RequestContext,
  { slideshow, renderHash }: StoredSlideshow,
): Promise<Slideshow> {
  const { id, slides, settings } = slideshow;
  if (slides.length === 0) throw apiError("no_slides", "The slideshow has no slides to render. Add slides with PATCH.");
  const { scope } = context.key;
  const imageUrls = slides.flatMap((slide) => listImages(slide, settings).map(({ url }) => url));
  await context.consumeOutsideUrls(countOutsideUrls(imageUrls, context.env));
  const images = await renderSlides(context, scope, slides, settings);
  const urls = images.map(({ url }) => url);
  const rendered = await saveRenderedImages(context.db, scope, id, {
    urls,
    renderHash,
    now: context.now,
  });
  if (!rendered) throw slideshowChanged();
  return rendered;
}
