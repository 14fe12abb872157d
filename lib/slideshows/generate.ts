// A new slideshow from a prompt or a product: words from the language model, backgrounds from packs.
import stringify from "safe-stable-stringify";
import type { Call } from "../call.ts";
import * as packs from "../queries/packs.ts";
import type { NewSlideshow } from "../queries/slideshows.ts";
import type { SlideshowGenerate } from "../schemas/slideshow.ts";
import { sha256Hex } from "../secrets.ts";
import { writeSlideshow } from "../writing/slideshow.ts";
import { type PackImages, packIdsIn, pickBackgrounds, requirePacks } from "./backgrounds.ts";
import { briefOf, requireModel } from "./brief.ts";
import { type FoundProduct, findProduct, requireProduct } from "./product.ts";
import { madeSettings } from "./settings.ts";
import { EMPTY_TEXT, laidOut } from "./slides.ts";

export interface Ingredients {
  product: FoundProduct;
  images: PackImages;
}

/** Everything that the request names, in one round trip. */
export async function loadIngredients(
  { db, key }: Pick<Call, "db" | "key">,
  body: SlideshowGenerate,
): Promise<Ingredients> {
  const [product, images] = await Promise.all([
    findProduct({ db }, body.product_id),
    packs.findImages(db, key.scope, packIdsIn(body)),
  ]);
  return { product, images };
}

export async function generate(
  call: Call & { body: SlideshowGenerate },
  { product: found, images }: Ingredients,
): Promise<NewSlideshow> {
  const { body, ids, now } = call;
  const product = requireProduct(found, call.key);
  requirePacks(body, images);
  // A product alone is something to write about, and to write about again.
  const prompt = body.prompt ?? product?.name ?? null;
  const facts = product && { name: product.name, description: product.description };
  const generation = { ...body, product: facts };
  const written = body.skip_ai ? null : await writeSlideshow(requireModel(call), briefOf(generation, prompt, body));
  const backgrounds = pickBackgrounds(body, images, sha256Hex(stringify(body) ?? ""));
  const { type, settings } = madeSettings(settingsOf(body));
  return {
    id: ids(),
    title: written?.title ?? titleFrom(prompt),
    slideshowType: type,
    productId: product?.id ?? null,
    settings,
    slides: backgrounds.map((image_url, index) => {
      const words = written?.slides[index];
      return { text_elements: words ? laidOut(words) : [{ ...EMPTY_TEXT }], image_url };
    }),
    originalPrompt: prompt,
    generation,
    now,
  };
}

function settingsOf(body: SlideshowGenerate) {
  const { pack_assignments } = body.slide_config;
  return {
    slideshow_type: body.slideshow_type,
    image_pack_id: body.pack_id ?? null,
    ...(body.aspect_ratio ? { aspect_ratio: body.aspect_ratio } : {}),
    ...(body.advanced_settings ? { advanced_settings: body.advanced_settings } : {}),
    pack_assignments: Object.keys(pack_assignments).length > 0 ? pack_assignments : null,
  };
}

const TITLE_AT_MOST = 80;

function titleFrom(prompt: string | null): string {
  const line = prompt?.split("\n")[0]?.trim() ?? "";
  if (line === "") return "Untitled slideshow";
  const letters = [...line];
  return letters.length <= TITLE_AT_MOST ? line : `${letters.slice(0, TITLE_AT_MOST - 1).join("")}…`;
}
