// Generates a slideshow from a prompt or a product: texts by the language model, backgrounds from packs.
import stringify from "safe-stable-stringify";
import type { SlideshowBrief } from "../ai/prompts.ts";
import { writeSlideshow } from "../ai/slideshow-texts.ts";
import { findPackImages, type PackImages } from "../queries/packs.ts";
import type { NewSlideshow } from "../queries/slideshows.ts";
import type { RenderSettings } from "../rendering/settings.ts";
import type { SlideTexts } from "../rendering/slide-layout.ts";
import { layOutSlides } from "../rendering/worker-client.ts";
import type { BareSlide } from "../schemas/slide.ts";
import { countSlides, type SlideConfig } from "../schemas/slide-config.ts";
import type { SlideshowGenerate } from "../schemas/slideshow.ts";
import type { ReadContext, RequestContext } from "../services/context.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { listPackIds, pickBackgrounds, requirePacks } from "./backgrounds.ts";
import { buildBrief, requireChatModel } from "./generation-prompt.ts";
import { listGivenTexts, placeGivenText, toSlideTexts } from "./given-texts.ts";
import { findProduct, type ProductLookup, requireProduct } from "./product.ts";
import { requireRenderableLanguage } from "./renderable-language.ts";
import { mergeSettings } from "./settings.ts";
import { EMPTY_TEXT } from "./slides.ts";

export interface GenerationSources {
  product: ProductLookup;
  images: PackImages;
}

/** Loads the product and the packs of the request, in one round trip. */
export async function loadGenerationSources(
  { db, key }: Pick<ReadContext, "db" | "key">,
  body: SlideshowGenerate,
): Promise<GenerationSources> {
  const [product, images] = await Promise.all([
    findProduct({ db }, body.product_id),
    findPackImages(db, key.scope, listPackIds(body)),
  ]);
  return { product, images };
}

export async function generateDraft(
  context: RequestContext & { body: SlideshowGenerate },
  { product: found, images }: GenerationSources,
): Promise<NewSlideshow> {
  const { body, ids, now } = context;
  const product = requireProduct(found, context.key);
  requirePacks(body, images);
  // Without a prompt the product's name is the topic, also when a slide is regenerated.
  const prompt = body.prompt ?? product?.name ?? null;
  const productFacts = product && { name: product.name, description: product.description };
  const generation = { ...body, product: productFacts };
  const { type, settings } = mergeSettings(toSettings(body));
  const count = countSlides(body);
  const brief = buildBrief(generation, prompt, { ...body, slide_count: count, settings });
  const given = listGivenTexts(body.slide_config);
  const isComplete = Object.keys(given).length === count;
  const texts = body.skip_ai || isComplete ? null : await writeTexts(context, { ...brief, ...withGiven(given) });
  const backgrounds = pickBackgrounds(body, images, sha256Hex(stringify(body) ?? ""));
  const elements = await layOutTexts(context, {
    config: body.slide_config,
    brief,
    settings,
    written: texts?.slides ?? [],
  });
  return {
    id: ids(),
    title: texts?.title ?? toTitle(prompt),
    slideshowType: type,
    productId: product?.id ?? null,
    settings,
    slides: backgrounds.map((image_url, index) => ({
      text_elements: elements[index] ?? [{ ...EMPTY_TEXT }],
      image_url,
    })),
    originalPrompt: prompt,
    generation,
    now,
  };
}

/** The model sees what the owner wrote, so that the other slides fit. */
function withGiven(given: Record<string, string>): Pick<SlideshowBrief, "given"> {
  return Object.keys(given).length > 0 ? { given } : {};
}

interface TextSources {
  config: SlideConfig;
  brief: SlideshowBrief;
  settings: RenderSettings;
  /** By the model; none when nothing was written. */
  written: SlideTexts[];
}

/** The text elements of each slide: those of the request, else its text, else what the model wrote; none without a text. */
async function layOutTexts(
  { env }: Pick<RequestContext, "env">,
  { config, brief, settings, written }: TextSources,
): Promise<(BareSlide["text_elements"] | undefined)[]> {
  const { slide_texts, slide_text_elements } = config;
  const sources = brief.slides.map((_, index) => {
    const text = slide_texts[index];
    const isPlaced = slide_text_elements[index] !== undefined;
    return isPlaced ? undefined : text === undefined ? written[index] : toSlideTexts(text, brief.room);
  });
  const wanted = sources.filter((source) => source !== undefined);
  const layouts = wanted.length > 0 ? await layOutSlides(env, wanted, settings) : [];
  return sources.map((source, index) => {
    const placed = slide_text_elements[index];
    if (!source) return placed;
    const layout = layouts.shift() ?? [];
    const text = slide_texts[index];
    if (text !== undefined) return placeGivenText(text, layout);
    return layout.length > 0 ? layout : undefined;
  });
}

async function writeTexts(context: RequestContext, brief: SlideshowBrief) {
  requireRenderableLanguage(brief);
  return writeSlideshow(requireChatModel(context), brief);
}

function toSettings(body: SlideshowGenerate) {
  const { pack_assignments } = body.slide_config;
  return {
    slideshow_type: body.slideshow_type,
    image_pack_id: body.pack_id ?? null,
    ...(body.aspect_ratio ? { aspect_ratio: body.aspect_ratio } : {}),
    ...(body.advanced_settings ? { advanced_settings: body.advanced_settings } : {}),
    pack_assignments: Object.keys(pack_assignments).length > 0 ? pack_assignments : null,
  };
}

const MAX_TITLE_LENGTH = 80;

function toTitle(prompt: string | null): string {
  const line = prompt?.split("\n")[0]?.trim() ?? "";
  if (line === "") return "Untitled slideshow";
  const letters = [...line];
  return letters.length <= MAX_TITLE_LENGTH ? line : `${letters.slice(0, MAX_TITLE_LENGTH - 1).join("")}…`;
}
