// Protocol between the API and the rendering Worker: a slide in, its JPEG or a failure out; or texts in, their layouts out.
import type { BareSlide } from "../schemas/slide.ts";
import type { RenderSettings } from "./settings.ts";
import type { SlideTexts } from "./slide-layout.ts";

export interface RenderRequest {
  slide: BareSlide;
  settings: RenderSettings;
  /** Private `host:port` values that the Worker may fetch, from the API's environment (`allowedHosts`). */
  allowedHosts: readonly string[];
}

/** The texts of generated slides, which have no places and sizes yet. */
export interface LayoutRequest {
  slides: SlideTexts[];
  settings: RenderSettings;
}

export const LAYOUT_PATH = "/layout";

/** `image`: an image cannot be fetched or decoded. `text`: characters without a font, or an invalid colour. `message` is returned to the customer. */
export interface RenderFailure {
  why: "image" | "text";
  message: string;
}

export const CONTENT_TYPE = "image/jpeg";
/** Size of the rendered image, in pixels. */
export const WIDTH_HEADER = "x-width";
export const HEIGHT_HEADER = "x-height";
/** Size of the renderer's memory in bytes; for benchmarks. */
export const MEMORY_HEADER = "x-renderer-memory";
