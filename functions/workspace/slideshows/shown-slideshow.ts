import type * as z from "zod";
import type { Slideshow } from "../../../lib/schemas/slideshow.ts";

/** A slideshow as the operation that reads it returns it. */
export type ShownSlideshow = z.output<typeof Slideshow>;
