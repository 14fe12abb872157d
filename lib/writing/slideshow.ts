// The words of a slideshow: what a language model is asked for, and what its answer must be.
import * as z from "zod";
import { ask } from "./ask.ts";
import type { Model } from "./model.ts";
import { type Brief, type Rewriting, type Role, slidePrompt, slideshowPrompt } from "./prompts.ts";

const SlideWords = z.strictObject({
  heading: z.string().trim().min(1, "Must not be empty.").max(120),
  body: z.string().trim().max(300).describe("Empty where the heading says it all."),
});
export type SlideWords = z.output<typeof SlideWords>;

const words = (roles: Role[]) =>
  z.strictObject({
    title: z.string().trim().min(1, "Must not be empty.").max(120).describe("A name for the slideshow, for its owner."),
    slides: z.array(SlideWords).length(roles.length, `Must hold exactly ${roles.length} slides.`),
  });

export async function writeSlideshow(model: Model, brief: Brief): Promise<{ title: string; slides: SlideWords[] }> {
  const written = await ask(model, { name: "slideshow", shape: words(brief.slides), messages: slideshowPrompt(brief) });
  return { ...written, slides: written.slides.map((slide, index) => inRole(slide, brief.slides[index])) };
}

export async function rewriteSlide(model: Model, brief: Brief, rewriting: Rewriting): Promise<SlideWords> {
  const written = await ask(model, { name: "slide", shape: SlideWords, messages: slidePrompt(brief, rewriting) });
  return inRole(written, brief.slides[rewriting.rewrite]);
}

/** A title stands alone, whatever a model has added to it. */
function inRole(slide: SlideWords, role: Role | undefined): SlideWords {
  return role === "title" ? { ...slide, body: "" } : slide;
}
