// Regenerates the texts of one slide of a generated draft.

import { rewriteSlide } from "../ai/slideshow-texts.ts";
import * as revisions from "../queries/slideshow-updates.ts";
import type { findWithRenderHash } from "../queries/slideshows.ts";
import { layOutSlides } from "../rendering/worker-client.ts";
import type { Slideshow } from "../schemas/slideshow.ts";
import type { RequestContext } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";
import { requireDrawableLanguage } from "./drawable-language.ts";
import { slideshowChanged } from "./errors.ts";
import { buildBrief, Generation, requireChatModel } from "./generation-prompt.ts";
import { readTexts, replaceTexts, toBareSlides } from "./slides.ts";

type StoredSlideshow = NonNullable<Awaited<ReturnType<typeof findWithRenderHash>>>;

export async function regenerateSlide(
  context: RequestContext,
  { slideshow, drawn, generation }: StoredSlideshow,
  request: { index: string; instruction: string | null },
): Promise<Slideshow> {
  const { status, original_prompt: prompt } = slideshow;
  const slides = toBareSlides(slideshow.slides);
  const slide = /^(0|[1-9]\d?)$/.test(request.index) ? slides[Number(request.index)] : undefined;
  if (!slide) {
    throw apiError(
      "not_found",
      `The slide does not exist: the slideshow has ${slides.length} slides, and the index starts at 0.`,
    );
  }
  if (status !== "draft" || prompt === null) {
    const why =
      status === "draft"
        ? "It was not generated from a prompt."
        : `Its status is ${status}. Set status to draft first.`;
    throw apiError(
      "slideshow_not_draft",
      `Only slides of a draft that was generated from a prompt can be regenerated. ${why}`,
    );
  }
  const brief = buildBrief(Generation.parse(generation ?? {}), prompt, slideshow);
  requireDrawableLanguage(brief);
  const texts = slides.map(({ text_elements }) => text_elements.map(({ content }) => content));
  const index = Number(request.index);
  const words = await rewriteSlide(requireChatModel(context), brief, {
    texts,
    rewrite: index,
    instruction: request.instruction,
  });
  const [layout = [], previousLayout = []] = await layOutSlides(
    context.env,
    [words, readTexts(slide)],
    slideshow.settings,
  );
  const updated = await revisions.replaceSlide(context.db, context.key.scope, slideshow.id, {
    index,
    slide: replaceTexts(slide, layout, previousLayout),
    renderHash: drawn,
    now: context.now,
  });
  if (!updated) throw slideshowChanged();
  return updated;
}
