// Generates a slideshow from a prompt or a product: texts by the language model, backgrounds from packs.
import stringify from "safe-stable-stringify";
import type { SlideshowBrief } from "../ai/prompts.ts";
import { writeSlideshow } from "../ai/slideshow-texts.ts";
import type { PackImages } from "../queries/packs.ts";
import * as packs from "../queries/packs.ts";
import type { NewSlideshow } from "../queries/slideshows.ts";
import { layOutSlides } from "../rendering/worker-client.ts";
import type { SlideshowGenerate } from "../schemas/slideshow.ts";
import type { ReadContext, RequestContext } from "../services/context.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { listPackIds, pickBackgrounds, requirePacks } from "./backgrounds.ts";
import { requireDrawableLanguage } from "./drawable-language.ts";
import { buildBrief, requireChatModel } from "./generation-prompt.ts";
import { findProduct, type ProductLookup, requireProduct } from "./product.ts";
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
    packs.findImages(db, key.scope, listPackIds(body)),
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
  const texts = body.skip_ai ? null : await writeTexts(context, buildBrief(generation, prompt, { ...body, settings }));
  const layouts = texts && (await layOutSlides(context.env, texts.slides, settings));
  const backgrounds = pickBackgrounds(body, images, sha256Hex(stringify(body) ?? ""));
  return {
    id: ids(),
    title: texts?.title ?? toTitle(prompt),
    slideshowType: type,
    productId: product?.id ?? null,
    settings,
    slides: backgrounds.map((image_url, index) => {
      const layout = layouts?.[index] ?? [];
      return { text_elements: layout.length > 0 ? layout : [{ ...EMPTY_TEXT }], image_url };
    }),
    originalPrompt: prompt,
    generation,
    now,
  };
}

async function writeTexts(context: RequestContext, brief: SlideshowBrief) {
  requireDrawableLanguage(brief);
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
