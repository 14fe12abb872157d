// Regenerates the texts of one slide of a draft that has a prompt.
import { rewriteSlide } from "../ai/slideshow-texts.ts";
import { saveSlide } from "../queries/slideshow-updates.ts";
import type { findSlideshowWithRenderHash } from "../queries/slideshows.ts";
import { layOutSlides } from "../rendering/worker-client.ts";
import type { Slideshow } from "../schemas/slideshow.ts";
import type { RequestContext } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";
import { slideshowChanged } from "./errors.ts";
import { buildBrief, Generation, requireChatModel } from "./generation-prompt.ts";
import { requireRenderableLanguage } from "./renderable-language.ts";
import { readTexts, replaceTexts, toBareSlides } from "./slides.ts";

type StoredSlideshow = NonNullable<Awaited<ReturnType<typeof findSlideshowWithRenderHash>>>;

export async function regenerateSlide(
  context: RequestContext,
  { slideshow, renderHash, generation }: StoredSlideshow,
  request: { index: string; instruction: string | null },
): Promise<Slideshow> {
  const { status, original_prompt: prompt } = slideshow;
  const slides = toBareSlides(slideshow.slides);
  // Number alone would accept "", "01" and "1e0".
  const index = /^(0|[1-9]\d?)$/.test(request.index) ? Number(request.index) : -1;
  const slide = slides[index];
  if (!slide) {
    throw apiError(
      "not_found",
      `The slide does not exist: the slideshow has ${slides.length} slides, and the index starts at 0.`,
    );
  }
  if (status !== "draft" || prompt === null) {
    const why = status === "draft" ? "It has no prompt." : `Its status is ${status}. Set status to draft first.`;
    throw apiError("slideshow_not_draft", `Only slides of a draft with a prompt can be regenerated. ${why}`);
  }
  const brief = buildBrief(Generation.parse(generation ?? {}), prompt, slideshow);
  requireRenderableLanguage(brief);
  const textsBySlide = slides.map(({ text_elements }) => text_elements.map(({ content }) => content));
  const newTexts = await rewriteSlide(requireChatModel(context), brief, {
    texts: textsBySlide,
    rewrite: index,
    instruction: request.instruction,
  });
  // The texts of today are laid out too: only those that still stand where the layout puts them take the new places.
  const [newLayout = [], currentLayout = []] = await layOutSlides(
    context.env,
    [newTexts, readTexts(slide)],
    slideshow.settings,
  );
  const updated = await saveSlide(context.db, context.key.scope, slideshow.id, {
    index,
    slide: replaceTexts(slide, newLayout, currentLayout),
    // The update matches no row if the slideshow has changed since it was read.
    renderHash,
    now: context.now,
  });
  if (!updated) throw slideshowChanged();
  return updated;
}
