// The texts of a slideshow, written by a language model.
import * as z from "zod";
import type { ChatModel } from "./chat-model.ts";
import {
  buildSlidePrompt,
  buildSlideshowPrompt,
  type RewriteRequest,
  type SlideRole,
  type SlideshowBrief,
} from "./prompts.ts";
import { requestStructuredOutput } from "./structured-output.ts";

const SlideTexts = z.strictObject({
  heading: z.string().trim().min(1, "Must not be empty.").max(120),
  body: z.string().trim().max(300).describe("Empty where the heading says it all."),
});
export type SlideTexts = z.output<typeof SlideTexts>;

const buildSlideshowSchema = (roles: SlideRole[]) =>
  z.strictObject({
    title: z.string().trim().min(1, "Must not be empty.").max(120).describe("A name for the slideshow, for its owner."),
    slides: z.array(SlideTexts).length(roles.length, `Must hold exactly ${roles.length} slides.`),
  });

export async function writeSlideshow(
  model: ChatModel,
  brief: SlideshowBrief,
): Promise<{ title: string; slides: SlideTexts[] }> {
  const written = await requestStructuredOutput(model, {
    schemaName: "slideshow",
    schema: buildSlideshowSchema(brief.slides),
    messages: buildSlideshowPrompt(brief),
  });
  return { ...written, slides: written.slides.map((slide, index) => applyRole(slide, brief.slides[index])) };
}

export async function rewriteSlide(
  model: ChatModel,
  brief: SlideshowBrief,
  rewriting: RewriteRequest,
): Promise<SlideTexts> {
  const written = await requestStructuredOutput(model, {
    schemaName: "slide",
    schema: SlideTexts,
    messages: buildSlidePrompt(brief, rewriting),
  });
  return applyRole(written, brief.slides[rewriting.rewrite]);
}

/** A title slide has no body, even when the model adds one. */
function applyRole(slide: SlideTexts, role: SlideRole | undefined): SlideTexts {
  return role === "title" ? { ...slide, body: "" } : slide;
}
