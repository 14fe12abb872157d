// Chooses background images from packs. Deterministic for the same `seed` and the same images.
import type { PackImages } from "../queries/packs.ts";
import { countSlides } from "../schemas/slide-config.ts";
import type { SlideshowGenerate } from "../schemas/slideshow.ts";
import { sha256Hex } from "../shared/crypto.ts";
import { apiError } from "../shared/errors.ts";

/** The ids of all packs in the request. */
export function listPackIds({ pack_id, slide_config }: SlideshowGenerate): string[] {
  const named = [...Object.values(slide_config.pack_assignments), ...(pack_id ? [pack_id] : [])];
  return [...new Set(named)];
}

export function requirePacks(body: SlideshowGenerate, images: PackImages): void {
  const missing = listPackIds(body).find((id) => !images.has(id));
  if (missing) throw apiError("pack_not_found", `No pack with the id ${missing} is visible to the key.`);
}

/** One per slide: its own image, else the pinned image, else the next image of its pack. Within a pack, no image repeats until all were used; pinned images are not counted. */
export function pickBackgrounds(body: SlideshowGenerate, images: PackImages, seed: string): (string | null)[] {
  const { slide_config, pack_id } = body;
  const shuffled = new Map(
    [...images].map(([pack, packImages]) => {
      const hashed = packImages.map(({ url }) => ({ url, hash: sha256Hex(`${seed}\n${pack}\n${url}`) }));
      return [pack, hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1))];
    }),
  );
  const usedCounts = new Map<string, number>();

  function next(pack: string): string | null {
    const position = usedCounts.get(pack) ?? 0;
    usedCounts.set(pack, position + 1);
    const candidates = shuffled.get(pack) ?? [];
    return candidates[position % candidates.length]?.url ?? null;
  }

  return Array.from({ length: countSlides(body) }, (_, index) => {
    const own = slide_config.custom_images[index]?.image_url;
    const pinned = slide_config.pinned_images[index];
    const pack = slide_config.pack_assignments[index] ?? pack_id;
    return own ?? pinned ?? (pack ? next(pack) : null);
  });
}
