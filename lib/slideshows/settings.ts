// The settings of a new slideshow: the request's over the defaults.
import type { SlideshowCreate } from "../schemas/slideshow.ts";

type SettingsLayer = NonNullable<SlideshowCreate["settings"]>;
type SlideshowType = NonNullable<SlideshowCreate["slideshow_type"]>;

const DEFAULTS = { aspect_ratio: "4:5", pack_assignments: null } as const;

/** Later layers override earlier ones. The slideshow type is stored in its own column, not in the settings. */
export function mergeSettings(...layers: (SettingsLayer | undefined)[]): { type: SlideshowType; settings: object } {
  const { slideshow_type, ...settings }: SettingsLayer = Object.assign({}, DEFAULTS, ...layers);
  const advanced_settings = Object.assign({}, ...layers.map((layer) => layer?.advanced_settings));
  return { type: slideshow_type ?? "educational", settings: { ...settings, advanced_settings } };
}
