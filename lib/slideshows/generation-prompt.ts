// The brief of a slideshow for the language model.
import * as z from "zod";
import type { ChatModel } from "../ai/chat-model.ts";
import { createChatModel } from "../ai/create-chat-model.ts";
import type { SlideRole, SlideshowBrief } from "../ai/prompts.ts";
import type { RenderSettings } from "../rendering/settings.ts";
import type { RequestContext } from "../services/context.ts";
import { apiError } from "../shared/errors.ts";
import { computeTextCapacity } from "./text-capacity.ts";

/** The stored generation request of a slideshow; a draft from a template has only a language. */
export const Generation = z.object({
  language: z.string().default("same_as_prompt"),
  product: z.object({ name: z.string(), description: z.string().nullable() }).nullable().default(null),
  slide_config: z
    .object({ title_slide: z.boolean().default(true), call_to_action: z.boolean().default(false) })
    .prefault({}),
});
type Generation = z.output<typeof Generation>;

export function buildBrief(
  { language, product, slide_config }: Generation,
  topic: string | null,
  {
    slide_count,
    slideshow_type,
    settings,
  }: { slide_count: number; slideshow_type: SlideshowBrief["slideshow_type"]; settings: RenderSettings },
): SlideshowBrief {
  const last = slide_count - 1;
  const slides = Array.from({ length: slide_count }, (_, index): SlideRole => {
    if (index === 0 && slide_config.title_slide) return "title";
    return index === last && slide_config.call_to_action ? "call_to_action" : "content";
  });
  // A name may be of any language; the description of a product is a text.
  const described = language === "same_as_prompt" && product?.description && topic === product.name;
  const resolved = described ? "same_as_product_description" : language;
  const sample = (described ? product.description : topic) ?? "";
  return {
    topic,
    product,
    slideshow_type,
    language: resolved,
    slides,
    room: computeTextCapacity(settings, resolved, sample),
  };
}

export function requireChatModel(context: Pick<RequestContext, "env" | "fetch">): ChatModel {
  const model = createChatModel(context);
  if (model) return model;
  const message = "No language model is configured on this service. Use skip_ai, or ask the operator to configure one.";
  throw apiError("provider_unavailable", message);
}
