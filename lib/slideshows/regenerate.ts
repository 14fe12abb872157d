// One slide of a generated draft, written anew.
import type { Call } from "../call.ts";
import { refuse } from "../errors.ts";
import * as revisions from "../queries/slideshow-revisions.ts";
import type { findDrawable } from "../queries/slideshows.ts";
import type { Slideshow } from "../schemas/slideshow.ts";
import { rewriteSlide } from "../writing/slideshow.ts";
import { briefOf, Generation, requireModel } from "./brief.ts";
import { changedMeanwhile } from "./refusals.ts";
import { bareSlides, reworded } from "./slides.ts";

type Stored = NonNullable<Awaited<ReturnType<typeof findDrawable>>>;

export async function regenerate(
  call: Call,
  { slideshow, drawn, generation }: Stored,
  asked: { index: string; instruction: string | null },
): Promise<Slideshow> {
  const { status, original_prompt: prompt } = slideshow;
  const slides = bareSlides(slideshow.slides);
  const slide = /^(0|[1-9]\d?)$/.test(asked.index) ? slides[Number(asked.index)] : undefined;
  if (!slide) {
    throw refuse("not_found", `There is no such slide: the slideshow has ${slides.length}, counted from 0.`);
  }
  if (status !== "draft" || prompt === null) {
    const why =
      status === "draft" ? "It was not made from a prompt." : "It is rendered; set its status to draft first.";
    throw refuse("slideshow_not_draft", `Only slides of a draft that was made from a prompt are written anew. ${why}`);
  }
  const brief = briefOf(Generation.parse(generation ?? {}), prompt, slideshow);
  const texts = slides.map(({ text_elements }) => text_elements.map(({ content }) => content));
  const index = Number(asked.index);
  const words = await rewriteSlide(requireModel(call), brief, {
    texts,
    rewrite: index,
    instruction: asked.instruction,
  });
  const written = await revisions.replaceSlide(call.db, call.key.scope, slideshow.id, {
    index,
    slide: reworded(slide, words),
    drawn,
    now: call.now,
  });
  if (!written) throw changedMeanwhile();
  return written;
}
