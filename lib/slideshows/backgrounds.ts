// Backgrounds from packs: the same request gets the same pictures in the same order.
import { refuse } from "../errors.ts";
import type { SlideshowGenerate } from "../schemas/slideshow.ts";
import { sha256Hex } from "../secrets.ts";

/** The pictures of a pack, by the pack's id. */
export type PackImages = ReadonlyMap<string, readonly { url: string }[]>;

/** Every pack that the request names. */
export function packIdsIn({ pack_id, slide_config }: SlideshowGenerate): string[] {
  const named = [...Object.values(slide_config.pack_assignments), ...(pack_id ? [pack_id] : [])];
  return [...new Set(named)];
}

export function requirePacks(body: SlideshowGenerate, images: PackImages): void {
  const missing = packIdsIn(body).find((id) => !images.has(id));
  if (missing) throw refuse("pack_not_found", `No pack with the id ${missing} is visible to the key.`);
}

/** One per slide: the pinned one, else the next of its pack; no picture comes twice before each has come once. */
export function pickBackgrounds(body: SlideshowGenerate, images: PackImages, seed: string): (string | null)[] {
  const { slide_count, slide_config, pack_id } = body;
  const shuffled = new Map(
    [...images].map(([pack, urls]) => {
      const order = (url: string) => sha256Hex(`${seed}\n${pack}\n${url}`);
      return [pack, urls.map(({ url }) => ({ url, order: order(url) })).sort((a, b) => (a.order < b.order ? -1 : 1))];
    }),
  );
  const taken = new Map<string, number>();

  function next(pack: string): string | null {
    const turn = taken.get(pack) ?? 0;
    taken.set(pack, turn + 1);
    const urls = shuffled.get(pack) ?? [];
    return urls[turn % urls.length]?.url ?? null;
  }

  return Array.from({ length: slide_count }, (_, index) => {
    const pinned = slide_config.pinned_images[index];
    const pack = slide_config.pack_assignments[index] ?? pack_id;
    return pinned ?? (pack ? next(pack) : null);
  });
}
