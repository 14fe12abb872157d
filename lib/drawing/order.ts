// What the API's Worker and the drawing one say to each other: one slide, and its picture or why there is none.
import type { BareSlide } from "../schemas/slide.ts";
import type { DrawnSettings } from "./settings.ts";

export interface Order {
  slide: BareSlide;
  settings: DrawnSettings;
  /** `host:port` entries that the URL guard lets through although they are private; the API's own setting. */
  allowedHosts: readonly string[];
}

/** Sentences for the customer. `image`: one can't be fetched or decoded. `text`: no font has its characters. */
export interface Refused {
  why: "image" | "text";
  message: string;
}

export const CONTENT_TYPE = "image/jpeg";
/** Of the picture, beside its bytes. */
export const WIDTH = "x-width";
export const HEIGHT = "x-height";
/** What the renderer's memory has grown to. */
export const MEMORY = "x-renderer-memory";
