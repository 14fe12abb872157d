// The settings of a slideshow that is made: what was asked for over what is usual.
import type { SlideshowCreate } from "../schemas/slideshow.ts";

type Given = NonNullable<SlideshowCreate["settings"]>;
type Type = NonNullable<SlideshowCreate["slideshow_type"]>;

const USUAL = { aspect_ratio: "4:5", pack_assignments: null } as const;

/** Later layers go before earlier ones. The type is kept beside the settings, not in them. */
export function madeSettings(...layers: (Given | undefined)[]): { type: Type; settings: object } {
  const { slideshow_type, ...settings }: Given = Object.assign({}, USUAL, ...layers);
  const advanced_settings = Object.assign({}, ...layers.map((layer) => layer?.advanced_settings));
  return { type: slideshow_type ?? "educational", settings: { ...settings, advanced_settings } };
}
