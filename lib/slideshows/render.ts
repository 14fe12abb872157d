// Slides become pictures: all of them are drawn and recorded, or the slideshow stays as it was.
import type { Call } from "../call.ts";
import { renderSlides } from "../drawing/render.ts";
import { refuse } from "../errors.ts";
import * as revisions from "../queries/slideshow-revisions.ts";
import type { findDrawable } from "../queries/slideshows.ts";
import type { Slideshow } from "../schemas/slideshow.ts";
import { changedMeanwhile } from "./refusals.ts";

type Stored = NonNullable<Awaited<ReturnType<typeof findDrawable>>>;

export async function render(call: Call, { slideshow, drawn }: Stored): Promise<Slideshow> {
  const { id, slides, settings } = slideshow;
  if (slides.length === 0) throw refuse("no_slides", "The slideshow has no slides to draw. Add some with PATCH.");
  const { scope } = call.key;
  const pictures = await renderSlides(call, scope, slides, settings);
  const urls = pictures.map(({ url }) => url);
  const rendered = await revisions.recordPictures(call.db, scope, id, { urls, drawn, now: call.now });
  if (!rendered) throw changedMeanwhile();
  return rendered;
}
